import { wrongSetting, variablesOf } from '../kit/env-record.ts';

/** Limits of one request. */
export type RequestLimits = {
  /** Bytes of a request without its files. Default: 1 MiB (`VITRINE_BODY_BYTES`). */
  readonly bodyBytes: number;
  /** Bytes of all files of a request together, measured before base64. Default: 20 MiB (`VITRINE_IMAGE_BYTES`). */
  readonly imageBytes: number;
  /** Nesting depth of objects and lists. Default: 100 (`VITRINE_DEPTH`). */
  readonly depth: number;
  /**
   * Bytes that the requests of one principal reserve at once, from before a body is read until its answer has ended.
   * Each request reserves at least 16 KiB and each reader of an answer 64 KiB. Default: 64 MiB (`VITRINE_HELD_BYTES`).
   */
  readonly heldBytes: number;
  /** Milliseconds for a body, and a second more for every 64 KiB. Default: 30 s (`VITRINE_BODY_MS`). */
  readonly bodyMs: number;
  /** The most tokens of an answer; null leaves it to page and model. Default: null (`VITRINE_MAX_OUTPUT_TOKENS`). */
  readonly maxOutputTokens: number | null;
  /**
   * The largest context of the models, in tokens. A quota of cost never assumes more tokens for a request, however
   * large its files are; null assumes a token for every byte. Default: null (`VITRINE_CONTEXT_TOKENS`).
   */
  readonly contextTokens: number | null;
};

const mebibyte = 1024 * 1024;

export const defaultLimits: RequestLimits = {
  bodyBytes: mebibyte,
  imageBytes: 20 * mebibyte,
  depth: 100,
  heldBytes: 64 * mebibyte,
  bodyMs: 30_000,
  maxOutputTokens: null,
  contextTokens: null,
};

export const limitVariables: Readonly<Record<keyof RequestLimits, string>> = variablesOf(defaultLimits);

const names = Object.keys(limitVariables) as (keyof RequestLimits)[];

/** Limits merged over those below them. @throws AgentError `agent-invalid` for a limit that is no number above 0 */
export function withLimits(
  limits: Partial<RequestLimits> = {},
  below: RequestLimits = defaultLimits,
): RequestLimits {
  const merged = { ...below };
  for (const name of names) {
    const value = limits[name];
    if (value === undefined) continue;
    if (!isLimit(name, value)) {
      throw wrongSetting(
        `The limit ${name} (${limitVariables[name]}) is ${String(value)}; give a ${countsTokens(name) ? 'whole ' : ''}number above 0.`,
      );
    }
    // Providers get a number of tokens, so no limit means that they get none.
    Object.assign(merged, { [name]: countsTokens(name) && value === Infinity ? null : value });
  }
  return merged;
}

function countsTokens(name: keyof RequestLimits): boolean {
  return name === 'maxOutputTokens' || name === 'contextTokens';
}

function isLimit(name: keyof RequestLimits, value: unknown): boolean {
  if (!countsTokens(name)) return typeof value === 'number' && value > 0;
  return value === null || value === Infinity || (Number.isInteger(value) && Number(value) > 0);
}
