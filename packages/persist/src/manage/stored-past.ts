import { ownJson } from '@vitrine/core/internal/graph/document/document';
import type { JsonObject } from '@vitrine/core/internal/kit/json';
import * as errors from '@vitrine/core/internal/kit/errors';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import type { SessionStore, StoredPast } from '@vitrine/core/internal/session/store/session-store';
import { readSessionDocument, writeRecord } from './session-document.ts';

/**
 * Writes the stored past of a session for a panel elsewhere: snapshot, events behind it and earlier runs, without files.
 * Null for a session that is not stored. @throws the errors of the store
 */
export async function writeStoredPast(store: SessionStore, id: string): Promise<JsonObject | null> {
  const record = loadedSession(await store.load(id));
  if (record === null) return null;
  const runs = (await store.runs?.(id)) ?? [];
  return { journalId: record.journal.id, document: ownJson(writeRecord(record, runs, 0)) as JsonObject };
}

/** Reads what `writeStoredPast` wrote. @throws AgentError `state-invalid`, `state-version-unsupported` for a newer one */
export function readStoredPast(given: unknown): StoredPast | null {
  if (given === null) return null;
  const { journalId, document } = (given ?? {}) as Partial<Record<string, unknown>>;
  if (typeof journalId !== 'string')
    throw errors.stateInvalid({ path: '', what: 'it is not the past of a session' });
  const { record, runs, tail } = readSessionDocument(document, {});
  return { runs, journal: { id: journalId, base: record.state, events: tail } };
}
