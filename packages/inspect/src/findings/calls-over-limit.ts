import { defineDetector } from './detector.ts';

/** Calls of one answer beyond the limit of the agent. */
export const callsOverLimit = defineDetector({
  code: 'calls-over-limit',
  area: 'tools',
  severity: 'warning',
  finds: 'An answer with more tool calls than `maxToolCalls` allows, so that some did not run.',
  reads: { 'inference-end': ['callLimit'] },
  watch:
    () =>
    ({ event, step }) => {
      // A call that the output limit cut is told by `answer-cut`.
      if (event.callLimit === undefined || event.callLimit.error.code === 'output-truncated') return null;
      const { most } = event.callLimit;
      const made = step?.toolExecutions.length ?? 0;
      return {
        sentence: `The model made ${made} tool calls at once; ${made - most} of them did not run, because ${most} are allowed.`,
        remedy:
          'Tell the model to make fewer calls at once, offer a tool that takes a list, or raise `maxToolCalls`.',
        evidence: { made, most },
      };
    },
});
