import { defineDetector } from './detector.ts';
import { lasting, quoteName } from './wording.ts';

/** Durations of one call from which on it is a note or a warning. */
const least = { noteMs: 1000, warningMs: 5000 } as const;

/** A tool that took longer than the model in its step. */
export const toolSlow = defineDetector({
  code: 'tool-slow',
  area: 'tools',
  severity: 'warning',
  finds:
    'A call that took a second or more and longer than the model in its step; from 5 s on it is a warning.',
  reads: {
    'inference-end': ['response'],
    'tool-end': ['durationMs', 'status'],
  },
  needs: ['times'],
  watch: () => {
    let modelMs = 0;
    return ({ event, call }) => {
      if (event.type === 'inference-end') {
        modelMs = event.response.durationMs;
        return null;
      }
      const { durationMs, status } = event;
      // The time of a subagent is that of its own steps.
      if (durationMs === null || call === null || call.childState !== null || status === 'interrupted')
        return null;
      if (durationMs < least.noteMs || durationMs <= modelMs) return null;
      const { name } = call.toolCall;
      return {
        severity: durationMs >= least.warningMs ? 'warning' : 'note',
        sentence: `Tool ${quoteName(name)} took ${lasting(durationMs)}, longer than the model in this step (${lasting(modelMs)}).`,
        remedy: 'Make the tool faster, cache its answer, or give it a `timeoutMs`.',
        evidence: { who: name, durationMs, modelMs },
      };
    };
  },
});
