import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

/** Reasoning below this is no finding; from `warning` on it is one that should be looked at. */
const least = { tokens: 1000, share: 0.5 } as const;
const warning = { tokens: 2000, share: 0.8 } as const;

/** Reasoning that took most of the output of a run. */
export const reasoningHeavy = defineDetector({
  code: 'reasoning-heavy',
  area: 'model',
  severity: 'warning',
  finds:
    'Reasoning that took most of the output tokens of a run, and so most of what they cost. Below four fifths it is a note.',
  reads: { 'inference-end': ['response'] },
  needs: ['usage'],
  watch: () => {
    let reasoning = 0;
    let output = 0;
    return ({ event }) => {
      const { reasoningTokens, outputTokens } = event.response.usage;
      reasoning += reasoningTokens;
      output += outputTokens;
      const share = output === 0 ? 0 : reasoning / output;
      if (reasoning < least.tokens || share < least.share) return null;
      return {
        key: 'reasoning',
        severity: reasoning >= warning.tokens && share >= warning.share ? 'warning' : 'note',
        sentence: `Reasoning took ${Math.round(share * 100)} % of the output: ${countNoun(reasoning, 'token')} of ${countNoun(output, 'token')}.`,
        remedy:
          'Lower the reasoning effort in the settings of the model, or use a model without it for this task.',
        evidence: { reasoningTokens: reasoning, outputTokens: output },
      };
    };
  },
});
