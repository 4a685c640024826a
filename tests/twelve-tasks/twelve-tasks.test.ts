import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, it } from 'vitest';

// The programs beside this file do twelve usual tasks of a chat, and `npm test` checks their types. The same tasks were
// written for three other libraries, on 24 November 2026, and counted in the same way.

type Count = readonly [lines: number, names: number];

/** Lines and imported names of other libraries, with the versions that were counted. Null: it cannot do the task. */
const peers: Readonly<Record<string, Readonly<Record<PeerName, Count | null>>>> = {
  '01-chat': { aiSdk: [16, 3], tanstack: [16, 5], assistantUi: [23, 7] },
  '02-stop': { aiSdk: [21, 3], tanstack: [25, 5], assistantUi: [24, 7] },
  '03-edit-branches': { aiSdk: [44, 5], tanstack: [45, 7], assistantUi: [49, 9] },
  '04-approval': { aiSdk: [49, 7], tanstack: [58, 8], assistantUi: [54, 13] },
  '05-client-tool': { aiSdk: [41, 7], tanstack: [41, 8], assistantUi: [39, 13] },
  '06-structured': { aiSdk: [26, 6], tanstack: [28, 6], assistantUi: [45, 12] },
  '07-two-tabs': { aiSdk: [26, 5], tanstack: [26, 7], assistantUi: null },
  '08-resume': { aiSdk: [55, 9], tanstack: [28, 9], assistantUi: [64, 13] },
  '09-subagent': { aiSdk: [52, 8], tanstack: [50, 10], assistantUi: [53, 15] },
  '10-budget': { aiSdk: [54, 6], tanstack: [53, 9], assistantUi: [59, 10] },
  '11-unit-test': { aiSdk: [37, 5], tanstack: [62, 6], assistantUi: [37, 5] },
  '12-swap-model': { aiSdk: [25, 3], tanstack: [27, 7], assistantUi: [33, 9] },
};
/** `ai` 7.0.173, `@tanstack/ai` 0.58.0 and `@assistant-ui/react` 0.15.21. */
type PeerName = 'aiSdk' | 'tanstack' | 'assistantUi';

const folder = import.meta.dirname;
const tasks = Object.keys(peers);

/** Counts the lines of code and the imported names of a program, printed in one style. */
async function countOf(task: string): Promise<Count> {
  let [lines, names] = [0, 0];
  for (const file of readdirSync(join(folder, task))) {
    const source = readFileSync(join(folder, task, file), 'utf8');
    const text = await format(source, { parser: 'typescript', printWidth: 110, singleQuote: true });
    lines += text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
    for (const [, clause = '', from = ''] of text.matchAll(/import ([^'"]*?) from '([^']+)'/g))
      if (!from.startsWith('.') && !from.startsWith('node:')) names += clause.split(',').length;
  }
  return [lines, names];
}

const leastOf = (task: string, which: 0 | 1): number =>
  Math.min(...Object.values(peers[task] ?? {}).map((count) => count?.[which] ?? Infinity));

it('each of the twelve tasks has a program', () => {
  const found = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(found.map(({ name }) => name).toSorted()).toEqual(tasks);
});

it.each(tasks)('the program %s has fewer lines than that of any other library', async (task) => {
  const [lines] = await countOf(task);
  expect(lines).toBeLessThan(leastOf(task, 0));
});

it('the programs import the fewest names, or as few as another library, in at least eleven tasks', async () => {
  const more: string[] = [];
  for (const task of tasks) if ((await countOf(task))[1] > leastOf(task, 1)) more.push(task);
  expect(more.length, more.join(', ')).toBeLessThanOrEqual(1);
});
