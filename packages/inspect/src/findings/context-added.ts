import { defineDetector } from './detector.ts';
import { listNames, quoteName } from './wording.ts';

/** Plugins that added to a model call. */
export const contextAdded = defineDetector({
  code: 'context-added',
  area: 'context',
  severity: 'note',
  finds: 'Plugins that added instructions, context or tools to a model call.',
  reads: { 'inference-start': ['contributors'] },
  needs: ['prompt'],
  watch:
    () =>
    ({ event }) => {
      const { contributors } = event;
      if (contributors === undefined) return null;
      return {
        key: contributors.join(),
        sentence: `${contributors.length === 1 ? 'Plugin' : 'Plugins'} ${listNames(contributors.map(quoteName))} added instructions, context or tools to the model call.`,
        remedy: 'Nothing, if they are meant to. Open what was sent to read them.',
        evidence: { plugins: [...contributors] },
      };
    },
});
