import { usage as usageOf } from '@vitrine/core/internal/graph/execution-state';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

/** A model call without a price in a run, or in a subagent of a run, that counts money. */
export const priceUnknown = defineDetector({
  code: 'price-unknown',
  area: 'budget',
  severity: 'warning',
  finds:
    'A model call of unknown price in a run that limits or knows its cost, so that its total is too low.',
  reads: {
    'price-record': ['price'],
    'inference-end': ['response'],
    'stop-signal': ['signal'],
    'execution-end': [],
  },
  needs: ['usage'],
  watch: () => {
    let isLimited = false;
    let model: string | null = null;
    let priced = 0;
    let unpriced = 0;
    return ({ event, root }) => {
      if (event.type === 'price-record') isLimited ||= event.price === null;
      else if (event.type === 'stop-signal') isLimited ||= event.signal.reason === 'cost-limit-reached';
      else if (event.type === 'inference-end' && event.response.usage.totalTokens > 0) {
        model = event.response.model;
        if (event.response.usage.cost === null) unpriced++;
        else priced++;
      }
      // The cost of a run is that of all its agents, so one that is known elsewhere is too low here.
      if (unpriced === 0 || (!isLimited && !knowsCost(root))) return null;
      return {
        key: 'price',
        sentence: `The price of ${countNoun(unpriced, 'model call')}${model === null ? '' : ` (now ${model})`} is not known, so the cost of this run is too low.`,
        remedy: 'Give the price in `llmConfig.prices`, or at the proxy in `VITRINE_PRICES`.',
        evidence: { model, unpriced, priced },
      };
    };
  },
});

function knowsCost({ execution }: AgentState): boolean {
  return execution !== null && usageOf(execution).cost !== null;
}
