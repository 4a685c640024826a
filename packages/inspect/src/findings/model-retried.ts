import { defineDetector } from './detector.ts';
import { countNoun, inside, lasting } from './wording.ts';

/** Retries of one step from which on they are a warning: their number, or the time that they took. */
const warning = { retries: 2, ms: 10_000 } as const;

/** Model calls that failed before one succeeded. */
export const modelRetried = defineDetector({
  code: 'model-retried',
  area: 'model',
  severity: 'warning',
  finds: 'Model calls that were made again until one succeeded. One short retry is a note.',
  reads: {
    'step-start': [],
    'inference-start': ['attempt'],
    'inference-retry': ['error'],
    'inference-end': [],
  },
  watch: () => {
    let firstAt: number | null = null;
    let startedAt = 0;
    let attempt = 1;
    let error: { readonly code: string | null; readonly message: string } | null = null;
    return ({ event }) => {
      if (event.type === 'step-start') {
        [firstAt, attempt, error] = [null, 1, null];
        return null;
      }
      if (event.type === 'inference-retry') {
        error = { code: event.error.code, message: event.error.message };
        return null;
      }
      if (event.type === 'inference-start') {
        firstAt ??= event.at;
        startedAt = event.at;
        attempt = event.attempt;
        return null;
      }
      if (attempt < 2 || firstAt === null) return null;
      const retries = attempt - 1;
      const lostMs = startedAt - firstAt;
      const why = error === null ? '' : `: ${inside(error.message)}`;
      return {
        severity: retries >= warning.retries || lostMs >= warning.ms ? 'warning' : 'note',
        sentence: `The model answered at attempt ${attempt}; ${countNoun(retries, 'failed call')} before it cost ${lasting(lostMs)}${why}.`,
        remedy:
          error?.code === 'rate-limited' || error?.code === 'http-429'
            ? 'The provider limits your rate: ask for a higher limit, or make fewer calls at once.'
            : 'Look at the error of the provider. When it comes often, use another model or region, or tell people that it takes longer.',
        evidence: { attempts: attempt, lostMs, error },
      };
    };
  },
});
