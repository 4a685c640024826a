import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

/** Events of an answer that could not be read. */
export const framesSkipped = defineDetector({
  code: 'frames-skipped',
  area: 'model',
  severity: 'warning',
  finds: 'Events of an answer that could not be read and were left out.',
  reads: { 'inference-end': ['response'] },
  watch:
    () =>
    ({ event }) => {
      const { skippedFrames = 0, model } = event.response;
      if (skippedFrames === 0) return null;
      return {
        sentence: `${countNoun(skippedFrames, 'event')} of the answer${model === null ? '' : ` of ${model}`} could not be read and ${skippedFrames === 1 ? 'was' : 'were'} left out, so text or a call may be missing.`,
        remedy:
          'Compare the answer with what the server sends, and update the server or the package of the provider.',
        evidence: { skippedFrames, model },
      };
    },
});
