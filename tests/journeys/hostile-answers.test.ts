import { afterAll, it } from 'vitest';
import { startUpstream, type Upstream } from '../upstream/upstream.ts';
import { demoJourneys } from './demo-journeys.ts';
import { streamOf } from './stream-of.ts';
import type { Visitor } from './visitor.ts';

let upstream: Upstream;
const demo = demoJourneys(async () => {
  upstream = await startUpstream();
  return { OPENAI_COMPATIBLE_BASE_URL: upstream.url, VITRINE_MODELS: 'openai-compatible:llama3.3' };
});
afterAll(() => upstream.close());
let visitor: Visitor;

it.each([
  ['4,000 quotations', `A quotation:\n${'>'.repeat(4000)}`],
  ['3,000 list items', `A list:\n${'- '.repeat(3000)}`],
  ['an address of 29,000 full stops', `An address:\nhttp://a.b/${'.'.repeat(29_000)}x`],
  ['a table of a million cells', `${'|a'.repeat(1000)}|\n${'|-'.repeat(1000)}|\n${'|a|\n'.repeat(1000)}`],
  ['6,000 brackets', `Brackets:\n${'['.repeat(6000)}`],
  ['a fence and 4,000 newlines', `\`\`\`${'\n'.repeat(4000)}x\n\`\`\``],
  ['40 kB of emphasis', `Emphasis:\n${'*a_ '.repeat(10_000)}`],
])('an answer of %s leaves the page usable, also after a reload', async (_what, text) => {
  visitor = await demo.visit();
  const { page, conversation, say } = visitor;
  upstream.behave = streamOf(`${text}\n\nThe end of the first.`);
  await say('Say something that is hard to draw');
  await conversation.getByText('The end of the first.').waitFor({ timeout: 10_000 });
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  // The end of a run is saved before the next one begins.
  await page.waitForTimeout(300);
  await page.reload();
  await conversation.getByText('The end of the first.').waitFor({ timeout: 10_000 });
  upstream.behave = streamOf('An answer of **one** line.');
  await say('And now?');
  await conversation.getByText('An answer of one line.').waitFor({ timeout: 10_000 });
});
