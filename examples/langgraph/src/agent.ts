import { ChatOpenAI } from '@langchain/openai';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';

const baseURL = process.env.OPENAI_COMPATIBLE_BASE_URL ?? 'http://localhost:11434/v1';

const getWeather = tool(({ city }) => ({ city, temperature: 21 }), {
  name: 'get_weather',
  description: 'Get the weather in a city',
  schema: z.object({ city: z.string(), days: z.number() }),
});

const sendEmail = tool(({ to }) => `sent to ${to}`, {
  name: 'send_email',
  description: 'Send an email',
  schema: z.object({ to: z.string(), text: z.string() }),
});

export const agent = createAgent({
  model: new ChatOpenAI({ model: 'llama3.2', apiKey: 'ollama', configuration: { baseURL } }),
  tools: [getWeather, sendEmail],
  middleware: [
    humanInTheLoopMiddleware({
      interruptOn: {
        send_email: {
          allowedDecisions: ['approve', 'edit', 'reject'],
          description: ({ args }) => `Send this email to ${args.to}?`,
        },
      },
    }),
  ],
});
