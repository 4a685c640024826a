import { of, type Usage } from './usage.ts';

/** The usage that somebody else reports, as state may hold it; see `Usage.of`. Never throws for plain data. */
export function normalizeUsage(raw: unknown): Usage {
  return of(typeof raw === 'object' && raw !== null ? raw : {});
}
