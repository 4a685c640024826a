import { bridgeTexts } from './bridge-texts.ts';
import { type JsonValue, systemEnv, Usage } from '@vitrine/core';
import type { FinishReason } from '@vitrine/core/types';

/** A new id of ours: ids of other libraries need not be UUIDs. */
export function idOf(): string {
  return systemEnv.id();
}

/** A value of another library as JSON; what JSON cannot hold becomes a text. */
export function jsonOf(value: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue;
  } catch {
    return bridgeTexts.unreadable;
  }
}

/** The value of a text that should be JSON; the text itself where it is not. An empty text is `{}`. */
export function parsedJson(text: string): JsonValue {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A value when it is a text that is not empty; null otherwise. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Fields of another library. */
export type Foreign = { readonly [field: string]: unknown };

/** An object of another library; one without fields for anything else. */
export function foreign(value: unknown): Foreign {
  return typeof value === 'object' && value !== null ? (value as Foreign) : {};
}

/** The objects in a list of another library. */
export function listOf(given: unknown): readonly Foreign[] {
  if (!Array.isArray(given)) return [];
  return given.filter((entry): entry is Foreign => typeof entry === 'object' && entry !== null);
}

/** The usage of a model call; null when its counts of tokens are not told. */
export function usageFrom(reported: { readonly [Field in keyof Usage]?: unknown }): Usage | null {
  const isCounted = typeof reported.inputTokens === 'number' || typeof reported.outputTokens === 'number';
  return isCounted ? Usage.of(reported as Partial<Usage>) : null;
}

const finishReasons: readonly unknown[] = [
  'stop',
  'length',
  'tool-calls',
  'content-filter',
  'error',
  'other',
] satisfies readonly FinishReason[];

/** A finish reason of another library, which may write `content_filter`; null for an unknown one. */
export function finishReasonOf(value: unknown): FinishReason | null {
  const reason = typeof value === 'string' ? value.replaceAll('_', '-') : null;
  return finishReasons.includes(reason) ? (reason as FinishReason) : null;
}
