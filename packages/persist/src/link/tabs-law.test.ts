import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import { text, toolCalls } from '@vitrine/core/internal/graph/message';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { debugSchedule, type TabSchedule, tabSchedule } from './tab-schedule.fixture.ts';
import { playTabs } from './tabs-simulation.fixture.ts';

/**
 * A regression: a tab answered a message out of order, before an earlier message whose run had not
 * begun.
 */
const inOrder: TabSchedule = {
  tabs: 2,
  acts: [
    { tab: 0, waitMs: 60, act: 'pay' },
    { tab: 0, waitMs: 5, act: 'talk' },
    { tab: 0, waitMs: 0, act: 'edit' },
    { tab: 0, waitMs: 0, act: 'kid' },
    { tab: 0, waitMs: 30, act: 'regenerate' },
    { tab: 0, waitMs: 60, act: 'kill' },
  ],
  delays: [90, 0, 1, 0],
  storeMs: [5],
  resume: false,
};
/**
 * A regression: a tab took over before anything was stored and saved its state from before the
 * first message.
 */
const unsavedYet: TabSchedule = {
  tabs: 3,
  acts: [
    { tab: 0, waitMs: 0, act: 'update' },
    { tab: 2, waitMs: 0, act: 'draft' },
    { tab: 2, waitMs: 5, act: 'kid' },
    { tab: 0, waitMs: 60, act: 'kill' },
    { tab: 1, waitMs: 30, act: 'answer' },
    { tab: 0, waitMs: 0, act: 'kill' },
    { tab: 2, waitMs: 30, act: 'update' },
    { tab: 1, waitMs: 60, act: 'talk' },
    { tab: 0, waitMs: 1, act: 'talk' },
  ],
  delays: [1, 1, 20, 90, 1, 20, 90, 1, 1],
  storeMs: [40],
  resume: true,
};
/**
 * A regression: a tab answered the same message twice, once from the branch and once from the
 * queue.
 */
const answeredAnew: TabSchedule = {
  tabs: 2,
  acts: [
    { tab: 0, waitMs: 120, act: 'talk' },
    { tab: 0, waitMs: 120, act: 'pay' },
    { tab: 0, waitMs: 5, act: 'kill' },
    { tab: 1, waitMs: 0, act: 'kill' },
    { tab: 1, waitMs: 0, act: 'regenerate' },
    { tab: 0, waitMs: 7, act: 'kill' },
  ],
  delays: [20, 0, 90, 90, 90],
  storeMs: [5],
  resume: false,
};
const runs = {
  examples: [[inOrder], [unsavedYet], [answeredAnew]] as [TabSchedule][],
  numRuns: Number(process.env['PROVE_RUNS'] ?? 20),
  endOnFailure: true,
};

/** Messages of the assistant that follow each other directly: a command ran twice. */
function answeredTwice(state: AgentState): readonly string[] {
  const all = messages(state);
  const isAnswer = (at: number): boolean => all[at]?.role === 'assistant' && toolCalls(all[at]).length === 0;
  return all.flatMap(({ id }, at) => (isAnswer(at) && isAnswer(at - 1) ? [id] : []));
}

describe('tabs on one session, with commands in all of them, reordered messages and tabs killed at any time', () => {
  it.each([
    ['with commands of a person', tabSchedule, runs],
    ['with breakpoints, edits and releases', debugSchedule, { ...runs, examples: [] }],
  ])(
    '%s all tabs end on the stored state, keep every message, repeat no effect and settle every promise',
    { timeout: 3_000_000 },
    async (_title, schedules, counts) => {
      await fc.assert(
        fc.asyncProperty(schedules, async (planned) => {
          const { shown, stored, effects, asked } = await playTabs(planned);
          for (const [id, count] of effects) expect(count, `effects of ${id}`).toBe(1);
          const [first, ...others] = shown;
          expect(stored, 'stored').toEqual(first?.state);
          for (const other of others) {
            expect(other.state).toEqual(first?.state);
            const { title, status, queue, error } = other;
            expect({ title, status, queue, error }).toEqual({
              title: first?.title,
              status: first?.status,
              queue: first?.queue,
              error: first?.error,
            });
          }
          const lines = [first!.state, ...first!.tree.branches.map((branch) => branch.state)];
          expect(lines.flatMap(answeredTwice), 'answered twice').toEqual([]);
          const ids = new Map(lines.flatMap((state) => messages(state).map((said) => [said.id, text(said)])));
          for (const { tab, what, status } of asked) {
            if (what === '') continue;
            const times = [...ids.values()].filter((words) => words === what).length;
            expect(times, what).toBeLessThanOrEqual(1);
            const isGone = tab.isGone || status === 'refused' || status === 'cancelled';
            if (!isGone) expect(times, what).toBe(1);
          }
        }),
        counts,
      );
    },
  );
});
