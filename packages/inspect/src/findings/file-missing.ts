import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A file whose bytes were gone when the model was called. */
export const fileMissing = defineDetector({
  code: 'file-missing',
  area: 'context',
  severity: 'warning',
  finds: 'A file that the model could not read, because the store no longer has its bytes.',
  reads: { 'attachment-missing': ['messageId', 'hash', 'filename'] },
  needs: ['prompt'],
  watch:
    () =>
    ({ event }) => {
      const { filename, hash, messageId } = event;
      return {
        key: hash,
        sentence: `The model could not read ${filename === null ? 'a file' : `the file ${quoteName(filename)}`}: the store no longer has its bytes, and the model was told so.`,
        remedy: 'Attach the file again. Look at what clears the storage of the browser or the server.',
        evidence: { filename, hash, messageId },
      };
    },
});
