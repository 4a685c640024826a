import type { AgentState } from '@vitrine/core/internal/graph/types';
import { defineDetector } from './detector.ts';

/** A provider that reports no usage, or none that can be true. */
export const usageEstimated = defineDetector({
  code: 'usage-estimated',
  area: 'model',
  severity: 'warning',
  finds:
    'A provider that reports no usage, so that tokens, cost and limits are estimates. In a run without a limit of tokens or cost it is a note.',
  reads: { 'inference-end': ['response'] },
  needs: ['usage'],
  watch: () => {
    let calls = 0;
    return ({ event, agent, root }) => {
      const { usage, model } = event.response;
      if (usage.isEstimated !== true) return null;
      calls++;
      return {
        key: 'usage',
        severity: isLimited(agent) || isLimited(root) ? 'warning' : 'note',
        sentence: `The provider${model === null ? '' : ` of ${model}`} reported no usage, so the tokens and the cost of this run are estimates.`,
        remedy:
          'Ask the provider for usage (often an option of the stream, such as `include_usage`). Limits of tokens and cost are only as exact as the estimate.',
        evidence: { calls, model, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
      };
    };
  },
});

const limits = ['maxTokens', 'maxCost', 'sessionTokens', 'sessionCost'];

/** True when a limit of the run depends on its usage. */
function isLimited({ execution }: AgentState): boolean {
  return limits.some((name) => execution?.limits?.[name] !== undefined);
}
