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
  const { id, messages }: { id: string; messages: UIMessage[] } = await request.json();

  const result = streamText({
    model: ollama('llama3.2'),
    instructions: 'You are a helpful assistant.',
    messages: await convertToModelMessages(messages),
    stopWhen: isStepCount(5),
    tools: {
      get_weather: tool({
        description: 'Get the weather in a city',
        inputSchema: z.object({ city: z.string(), days: z.number() }),
        execute: async ({ city }) => ({ city, temperature: 21 }),
      }),
    },
    // The panel knows the chat by it.
    telemetry: { functionId: id },
  });

  return createUIMessageStreamResponse({
    stream: toUIMessageStream({ stream: result.stream }),
  });
}
