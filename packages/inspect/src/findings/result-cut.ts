import { defineDetector } from './detector.ts';
import { countNoun, quoteName } from './wording.ts';

/** The sentence at the end of a result that was too long; see `cutResult` of the loop. */
const note = /\n\[Cut: these are the first (\d+) bytes of a result of (\d+); (\d+) bytes are left out\.\]$/;

/** A tool result of which the model got only the beginning. */
export const resultCut = defineDetector({
  code: 'result-cut',
  area: 'tools',
  severity: 'warning',
  finds: 'A result that was longer than its tool or agent allows, so that the model got only its beginning.',
  reads: { 'tool-end': ['result'] },
  watch:
    () =>
    ({ event, call }) => {
      const { result } = event;
      // Only the end is searched, because a result may have megabytes.
      const cut = typeof result === 'string' ? note.exec(result.slice(-200)) : null;
      if (cut === null) return null;
      const [kept, total, left] = [cut[1], cut[2], cut[3]].map(Number) as [number, number, number];
      const name = call?.toolCall.name ?? '';
      return {
        sentence: `The result of tool ${quoteName(name)} was cut: the model got ${countNoun(kept, 'byte')} of ${countNoun(total, 'byte')}.`,
        remedy:
          'Return less, for example a page with a cursor for more, or raise `maxResultBytes` of the tool.',
        evidence: { who: name, kept, total, left },
      };
    },
});
