import { defineDetector } from './detector.ts';
import { counted } from './wording.ts';

/** A model call without a price in a run that counts money. */
export const priceUnknown = defineDetector({
  code: 'price-unknown',
  area: 'budget',
  severity: 'warning',
  finds:
    'A model call of unknown price in a run that limits or knows its cost, so that its total is too low.',
  reads: {
    'price-record': ['price'],
    'inference-end': ['response'],
  },
  needs: ['usage'],
  watch: () => {
    let isAsked = false;
    let priced = 0;
    let unpriced = 0;
    return ({ event }) => {
      if (event.type === 'price-record') {
        isAsked ||= event.price === null;
        return null;
      }
      const { usage, model } = event.response;
      if (usage.totalTokens === 0) return null;
      if (usage.cost === null) unpriced++;
      else priced++;
      if (unpriced === 0 || (!isAsked && priced === 0)) return null;
      return {
        key: 'price',
        sentence: `The price of ${counted(unpriced, 'model call')}${model === null ? '' : ` (now ${model})`} is not known, so the cost of this run is too low.`,
        remedy: 'Give the price in `llmConfig.prices`, or at the proxy in `VITRINE_PRICES`.',
        evidence: { model, unpriced, priced },
      };
    };
  },
});
