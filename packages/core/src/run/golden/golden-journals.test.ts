import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import * as AgentState from '../agent-state.ts';
import { goldenPlan } from './golden-plan.fixture.ts';
import { goldenRun, hashOf } from './golden-run.fixture.ts';

// Hashes of everything that random agents do and that the outside sees of them. A changed hash is a changed behaviour:
// name it in the commit, and write the hashes again with GOLDEN=write.

const count = 800;
const tested = Number(process.env['PROVE_RUNS'] ?? 200);
const isWriting = process.env['GOLDEN'] === 'write';
const file = new URL('golden-journals.json', import.meta.url);
const plans = fc.sample(goldenPlan, { seed: 20261126, numRuns: count });
const known = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>)
  : {};

/** The hash of a run to its end, and that of one which another process continues behind a random event. */
async function hashes(seed: number): Promise<string> {
  const plan = plans[seed - 1]!;
  const isSequential = plan.concurrency === 1;
  const whole = await goldenRun({ plan, seed, after: null, cutAt: null });
  const cutAt = 1 + (plan.cut % whole.events);
  const first = await goldenRun({ plan, seed, after: null, cutAt });
  expect(hashOf(first, true), 'an equal run has an equal record').toBe(hashOf(whole, true));
  const crash = first.crash!;
  if (AgentState.status(crash.state) !== 'in-progress') return `${hashOf(first, isSequential)} -`;
  const state = AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(crash.state))));
  const second = await goldenRun({ plan, seed, after: { ...crash, state }, cutAt: null });
  return `${hashOf(first, isSequential)} ${hashOf(second, isSequential)}`;
}

const written: Record<string, string> = {};
afterAll(() => {
  if (isWriting) writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
});

it('random agents, whole and cut at a random event, have the records that they had before', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const changed: string[] = [];
  for (let seed = 1; seed <= (isWriting ? count : Math.min(count, tested)); seed++) {
    written[seed] = await hashes(seed).catch((thrown: Error) => `threw ${thrown.message}`);
    if (!isWriting && written[seed] !== known[seed])
      changed.push(`${seed}: ${known[seed]} -> ${written[seed]}`);
  }
  expect(changed).toEqual([]);
}, 120_000);
