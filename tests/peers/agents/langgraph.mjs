import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import * as z from 'zod';

const getWeather = tool(({ city }) => ({ city, degrees: city === 'Oslo' ? 3 : 21 }), {
  name: 'getWeather',
  description: 'Tells the weather of a city',
  schema: z.object({ city: z.string() }),
});
const llm = new ChatOpenAI({ model: 'm' });
const agent = createReactAgent({
  llm,
  tools: [getWeather],
  prompt: 'You are Helper.',
  checkpointer: new MemorySaver(),
});
const config = { configurable: { thread_id: '1' } };
await agent.invoke({ messages: [{ role: 'user', content: 'What is the weather?' }] }, config);
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'Which is warmer?' }] },
  config,
);
process.stdout.write(`${messages.at(-1).content}\n`);
