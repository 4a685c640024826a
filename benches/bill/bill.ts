import { type Bill, billOf, type Rule, rules, runs, worldOf } from '../../tests/upstream/cached-runs.ts';
import type { Figure } from '../goals.ts';
import type { Measured } from '../scenario.ts';

/** Counts what providers take for the input of runs, by the rules of four prompt caches, with marks and without. */
export async function bill(): Promise<Measured> {
  const all: (readonly string[])[] = [];
  const each: string[][] = Object.keys(runs).map((run) => [run]);
  const figures: Figure[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const [off, auto] = [await playAll(rule, 'off'), await playAll(rule, 'auto')];
    const [without, by] = [off.at(-1)!, auto.at(-1)!];
    all.push([rule.name, ...shares(without), ...shares(by), percent(by.paid / without.paid - 1)]);
    for (const [at, row] of each.entries()) row.push(share(auto[at]!));
    const goal = name === 'breakpoints' || name === 'marks' ? 'billWritten' : 'billRead';
    figures.push({ goal, of: rule.name, value: by.paid / by.input });
  }
  const head = ['rule of the cache', 'off: read', 'input paid as', 'auto: read', 'input paid as', 'bill'];
  const names = Object.values(rules).map(({ name }) => name);
  return {
    tables: [
      { title: 'the bill of fifteen kinds of runs', head, rows: all },
      { title: 'the input of each run, paid as', head: ['run', ...names], rows: each },
    ],
    figures,
  };
}

/** The bill of each run, each at a provider that knows nothing yet, and that of all. */
async function playAll(rule: Rule, use: string): Promise<readonly Bill[]> {
  const worlds: ReturnType<typeof worldOf>[] = [];
  for (const run of Object.values(runs)) {
    const world = worldOf(rule, use);
    await run(world);
    worlds.push(world);
  }
  const counted = worlds.map((world) => world.counted);
  return [...counted, counted.flat()].map((requests) => billOf(requests, rule));
}

function share({ paid, input }: Bill): string {
  return (paid / input).toFixed(2);
}

function shares(one: Bill): readonly string[] {
  return [percent(one.read / one.input), share(one)];
}

function percent(of: number): string {
  return `${Math.round(100 * of)} %`;
}
