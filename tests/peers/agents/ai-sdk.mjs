import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { ToolLoopAgent, tool } from 'ai';
import * as z from 'zod';

const models = { chat: openai.chat('m'), responses: openai('m'), messages: anthropic('m') };
const getWeather = tool({
  description: 'Tells the weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, degrees: city === 'Oslo' ? 3 : 21 }),
});
const agent = new ToolLoopAgent({
  model: models[process.env.API],
  instructions: 'You are Helper. Be brief.',
  tools: { getWeather },
});
const first = await agent.stream({ prompt: 'What is the weather?' });
for await (const _ of first.fullStream);
const { messages } = await first.response;
const question = { role: 'user', content: 'What is the weather?' };
const second = await agent.generate({
  messages: [question, ...messages, { role: 'user', content: 'Which is warmer?' }],
});
process.stdout.write(`${second.text}\n`);
