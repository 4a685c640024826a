import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import type {
  RawSession,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { isUnreadable } from '../rows/store-errors.ts';
import { withFiles } from './document-files.ts';
import { notFound } from './change-sessions.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { writeDocument } from './session-document.ts';
import type { SessionDocument } from './session-document-shape.ts';

/** The stored texts of an unreadable session, to inspect and keep. It cannot be imported. */
export type RawSessionDocument = RawSession & {
  readonly $schema: 'vitrine/raw-session';
  readonly version: 1;
  readonly exportedAt: number;
  readonly id: string;
  /** The reason why it cannot be read. */
  readonly problem: string;
};

/**
 * Exports a stored session as one JSON document: messages, branches, runs, plugin state, queue, draft and files. An
 * unreadable session is exported as its stored texts, where the store has `raw`.
 * @throws AgentError `session-not-found`, and the errors of the store.
 */
export async function exportSession(
  store: SessionStore,
  id: string,
  { env = systemEnv }: { env?: Env } = {},
): Promise<SessionDocument | RawSessionDocument> {
  const exportedAt = Math.round(env.now());
  let record: SessionRecord | null;
  try {
    record = loadedSession(await store.load(id));
  } catch (thrown) {
    const raw = isUnreadable(thrown) ? ((await store.raw?.(id)) ?? null) : null;
    if (raw === null) throw thrown;
    const problem = (thrown as Error).message;
    return { $schema: 'vitrine/raw-session', version: 1, exportedAt, id, problem, ...raw };
  }
  if (record === null) throw notFound(id);
  return withFiles(writeDocument(record, (await store.runs?.(id)) ?? [], exportedAt), store);
}
