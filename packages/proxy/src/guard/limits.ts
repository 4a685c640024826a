import { AgentError } from '@vitrine/core';
import { type EnvRecord, numbersFrom } from '../env-record.ts';

/** What one request may be and ask for. */
export type RequestLimits = {
  /** Bytes of a request without its files. Default: 1 MiB (`VITRINE_BODY_BYTES`). */
  readonly bodyBytes: number;
  /** Bytes of all files of a request together, as they are before base64. Default: 20 MiB (`VITRINE_IMAGE_BYTES`). */
  readonly imageBytes: number;
  /** Objects and lists in each other. Default: 100 (`VITRINE_DEPTH`). */
  readonly depth: number;
  /**
   * Milliseconds that a body may take to arrive; every 64 KiB that have come are given a second more.
   * Default: 30 s (`VITRINE_BODY_MS`).
   */
  readonly bodyMs: number;
  /**
   * Tokens that an answer may have, whatever the page asks for; null leaves it to page and model.
   * Default: null (`VITRINE_MAX_OUTPUT_TOKENS`).
   */
  readonly maxOutputTokens: number | null;
};

const mebibyte = 1024 * 1024;

/** Every limit, where nobody says otherwise. */
export const defaultLimits: RequestLimits = {
  bodyBytes: mebibyte,
  imageBytes: 20 * mebibyte,
  depth: 100,
  bodyMs: 30_000,
  maxOutputTokens: null,
};

/** The environment variable of each limit. */
export const limitVariables: Readonly<Record<keyof RequestLimits, string>> = {
  bodyBytes: 'VITRINE_BODY_BYTES',
  imageBytes: 'VITRINE_IMAGE_BYTES',
  depth: 'VITRINE_DEPTH',
  bodyMs: 'VITRINE_BODY_MS',
  maxOutputTokens: 'VITRINE_MAX_OUTPUT_TOKENS',
};

const names = Object.keys(limitVariables) as (keyof RequestLimits)[];

/** `limits` over those below them. @throws AgentError `agent-invalid` for a limit that is no number above 0. */
export function withLimits(
  limits: Partial<RequestLimits> = {},
  below: RequestLimits = defaultLimits,
): RequestLimits {
  const merged = { ...below };
  for (const name of names) {
    const value = limits[name];
    if (value === undefined) continue;
    if (!isLimit(name, value)) {
      throw new AgentError(
        'agent-invalid',
        `The limit ${name} (${limitVariables[name]}) is ${String(value)}; give a ${name === 'maxOutputTokens' ? 'whole ' : ''}number above 0.`,
      );
    }
    // Providers are asked for tokens: no limit is none that they are told of.
    Object.assign(merged, { [name]: name === 'maxOutputTokens' && value === Infinity ? null : value });
  }
  return merged;
}

function isLimit(name: keyof RequestLimits, value: unknown): boolean {
  if (name !== 'maxOutputTokens') return typeof value === 'number' && value > 0;
  return value === null || value === Infinity || (Number.isInteger(value) && Number(value) > 0);
}

/** The limits that the environment names. @throws AgentError `agent-invalid` for a variable that is no number. */
export function limitsFromEnv(env: EnvRecord): Partial<RequestLimits> {
  return numbersFrom(env, limitVariables);
}
