import { chat, chatParamsFromRequest, toolDefinition, toServerSentEventsResponse } from '@tanstack/ai';
import { openaiCompatibleText } from '@tanstack/ai-openai/compatible';
import { z } from 'zod';

const baseURL = process.env.OPENAI_COMPATIBLE_BASE_URL ?? 'http://localhost:11434/v1';

const getWeather = toolDefinition({
  name: 'get_weather',
  description: 'Get the weather in a city',
  inputSchema: z.object({ city: z.string(), days: z.number() }),
  outputSchema: z.object({ city: z.string(), temperature: z.number() }),
}).server(async ({ city }) => ({ city, temperature: 21 }));

export async function POST(request: Request) {
  const { messages, threadId, runId } = await chatParamsFromRequest(request);

  const stream = chat({
    adapter: openaiCompatibleText('llama3.2', { baseURL, apiKey: 'ollama' }),
    messages,
    threadId,
    runId,
    tools: [getWeather],
  });

  return toServerSentEventsResponse(stream);
}
