import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { z } from 'zod';

const baseURL = process.env.OPENAI_COMPATIBLE_BASE_URL ?? 'http://localhost:11434/v1';
const ollama = createOpenAICompatible({ name: 'ollama', baseURL });

export async function POST(request: Request) {
  const { messages }: { messages: UIMessage[] } = await request.json();

  const result = streamText({
    model: ollama('llama3.2'),
    messages: await convertToModelMessages(messages),
    stopWhen: isStepCount(5),
    tools: {
      get_weather: tool({
        description: 'Get the weather in a city',
        inputSchema: z.object({ city: z.string(), days: z.number() }),
        execute: async ({ city }) => ({ city, temperature: 21 }),
      }),
    },
  });

  return createUIMessageStreamResponse({
    stream: toUIMessageStream({ stream: result.stream }),
  });
}
