import { isFinished } from '@vitrine/core/internal/graph/execution-state';
import { defineDetector } from './detector.ts';
import { lasting } from './wording.ts';

/** A run that was interrupted and continued. */
export const runResumed = defineDetector({
  code: 'run-resumed',
  area: 'session',
  severity: 'note',
  finds:
    'A run that a reload, a crash or a closed page interrupted, with the time in which nobody worked on it.',
  reads: {
    'execution-resume': [],
    'usage-charge': ['reason', 'usage'],
  },
  watch: () => {
    let gaps = 0;
    /** The resumption that a person wanted; the loop that takes the run up resumes it once more. */
    let wantedAt: number | null = null;
    let totalMs = 0;
    return ({ event, before }) => {
      if (event.type === 'usage-charge') {
        if (event.reason !== 'interrupted') return null;
        return {
          sentence: `A model call was interrupted and made again: its ${event.usage.totalTokens.toLocaleString('en')} tokens were paid without an answer.`,
          remedy: 'Use the proxy of this library with a stream log: it continues such an answer.',
          evidence: { tokens: event.usage.totalTokens, cost: event.usage.cost },
        };
      }
      const { execution } = before;
      // After a wait for a person, or when a person lets an ended run go on, it is no interruption.
      const isTakenUp = wantedAt !== null && before.seq === wantedAt;
      wantedAt = execution !== null && isFinished(execution) ? event.seq : null;
      if (execution === null || isTakenUp || wantedAt !== null || execution.waitingSince !== null)
        return null;
      const gapMs = Math.max(0, event.at - before.updatedAt);
      gaps++;
      totalMs += gapMs;
      return {
        key: 'resumed',
        sentence: `The run was interrupted and resumed${gaps === 1 ? '' : ` ${gaps} times`}; nobody worked on it for ${lasting(totalMs)}.`,
        remedy: 'Nothing: the run continued where it was. Times in between count as no work.',
        evidence: { gaps, totalMs, lastGapMs: gapMs },
      };
    };
  },
});
