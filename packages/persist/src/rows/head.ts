import * as errors from '@vitrine/core/internal/kit/errors';
import { readJson } from '@vitrine/core/internal/kit/json';
import { contentHash, contentHashLength, hasContentHash } from '@vitrine/core/internal/kit/hash';
import type { SessionHead, SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import type { StoredHead } from './row-storage.ts';

export type Head = Omit<SessionHead, 'version'>;

/** The head of a stored session, without what only the store writes. */
export function headIn(record: SessionRecord): Head {
  const { version: _version, state: _state, journal: _journal, ...rest } = record;
  const { branches: _branches, checkpoints: _points, epoch: _epoch, taken: _taken, ...own } = rest;
  const { writeId: _id, ...head } = own;
  return head;
}

/** A value as JSON behind its hash, so that damage is detected. */
export function sealedText(value: unknown): string {
  const text = JSON.stringify(value);
  return contentHash(text) + text;
}

/** Parses a sealed text; `what` names it in errors. @throws AgentError `state-invalid` for a damaged or foreign text */
export function openSealed(sealed: string, what: string): unknown {
  const text = sealed.slice(contentHashLength);
  const json = hasContentHash(text, sealed, 0) ? readJson(text) : null;
  if (json?.ok) return json.value;
  throw errors.stateInvalid({ path: what, what: 'it is damaged, or something else has written it' });
}

/** True for the same stage of a session; null stands for none. */
export function isSameHead(stored: StoredHead | null, expected: StoredHead | null): boolean {
  return stored?.text === expected?.text && stored?.records === expected?.records;
}

/** True for the head of an id without a session, damaged or not. Drivers can call it without the codec. */
export function isVacant(head: string): boolean {
  return /^[^{]*\{"format":\d+,"stamp":"[^"]*","vacant":\{/.test(head);
}

/**
 * A short tag of one stage of a session, for `ETag` and `If-Match`. Every head text differs, and every record counts.
 * The tag reveals no content, and damaged heads have one too.
 */
export function storedHeadTag({ text, records }: StoredHead): string {
  return `${contentHash(text)}.${records}`;
}
