import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messages } from '../../graph/agent-state/accessors.ts';
import { text } from '../../graph/message.ts';
import * as AgentState from '../../faces/agent-state.ts';
import { liveRecord } from '../stores/live-record.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { play, type Schedule, schedule, settledIds } from './fault-simulation.fixture.ts';

/** Two pages of which one once took the other's write for its own. */
const taken: Schedule = {
  acts: [
    { page: 1, waitMs: 0, act: 'talk' },
    { page: 0, waitMs: 0, act: 'pay' },
    { page: 0, waitMs: 2500, act: 'talk' },
    { page: 1, waitMs: 0, act: 'kill' },
    { page: 1, waitMs: 0, act: 'talk' },
  ],
  fates: [
    [
      { fault: 'none', delayMs: 40 },
      { fault: 'answer-lost', delayMs: 700 },
      { fault: 'none', delayMs: 0 },
    ],
    [{ fault: 'none', delayMs: 0 }],
  ],
  canAppend: true,
  resume: false,
};
const examples: [Schedule][] = [[taken]];
const runs = { examples, numRuns: Number(process.env['PROVE_RUNS'] ?? 150), endOnFailure: false };

const queued = (record: SessionRecord): string[] => record.queue.map(({ id }) => id);

describe('a session in two pages whose store fails, is slow, loses answers, and is left and killed at any time', () => {
  it(
    'loses no message, has no effect twice, is always readable and never mixes two histories',
    { timeout: 3_000_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(schedule, async (planned) => {
          const { effects, insisted, versions, said, last } = await play(planned);
          for (const [id, count] of effects)
            expect(count, `effects of ${id}`).toBeLessThanOrEqual(1 + (insisted.get(id) ?? 0));
          for (const [at, version] of versions.entries()) {
            const next = versions[at + 1] ?? last;
            const [before, after] = [settledIds(version), settledIds(next)];
            const kept = new Set([...before, ...queued(version)]);
            const inBoth = (ids: readonly string[], others: readonly string[]): string[] =>
              ids.filter((id) => others.includes(id));
            expect(inBoth(after, before), 'order').toEqual(inBoth(before, after));
            const all = new Set([...messages(liveRecord(next).state).map(({ id }) => id), ...queued(next)]);
            for (const id of kept)
              expect(all.has(id), `message ${id} of version ${version.version}`).toBe(true);
          }
          const { state } = liveRecord(last);
          const texts = [...messages(state).map(text), ...last.queue.map((entry) => entry.text)];
          for (const { text: words, page, turn } of said) {
            const mayBeGone = page.isGone || turn?.status === 'cancelled' || turn?.status === 'refused';
            const times = texts.filter((found) => found === words).length;
            expect(times, words).toBeLessThanOrEqual(1);
            if (!mayBeGone) expect(times, words).toBe(1);
          }
          expect(AgentState.fromJSON(JSON.parse(JSON.stringify(AgentState.toJSON(state))))).toEqual(state);
        }),
        runs,
      );
    },
  );
});
