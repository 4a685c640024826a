import { measureSizes } from '../../scripts/measure-sizes.ts';
import type { GoalName } from '../goals.ts';
import type { Measured } from '../scenario.ts';

const goalOf: Readonly<Record<string, GoalName>> = {
  'plain chat, all that it downloads': 'plainChat',
  'chat with browserSessions, tabs and branches, all that it downloads': 'storedChat',
  'plain chat, before the first message can be typed': 'firstMessage',
};

/** Measures the download of an application with Vite and esbuild against the goals, not against today's budgets. */
export async function sizes(): Promise<Measured> {
  const figures = (await measureSizes()).flatMap(({ budget, bundler, bytes }) => {
    const goal = goalOf[budget.name];
    return goal ? [{ goal, of: bundler, value: bytes }] : [];
  });
  return { tables: [], figures };
}
