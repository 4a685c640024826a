import { Agent, run, setOpenAIAPI, tool } from '@openai/agents';
import * as z from 'zod';

setOpenAIAPI(process.env.API);
const search = tool({
  name: 'search',
  description: 'Searches',
  parameters: z.object({ q: z.string() }),
  execute: ({ q }) => `4808 m, says the page on ${q}`,
});
const helper = new Agent({
  name: 'Searcher',
  instructions: 'You are Searcher.',
  tools: [search],
  model: 'm',
});
const research = helper.asTool({ toolName: 'research', toolDescription: 'Researches' });
const boss = new Agent({ name: 'Boss', instructions: 'You are Boss.', tools: [research], model: 'm' });
const result = await run(boss, 'Please research it', { stream: process.env.API === 'responses' });
if ('completed' in result) {
  for await (const _ of result);
  await result.completed;
}
process.stdout.write(`${result.finalOutput}\n`);
