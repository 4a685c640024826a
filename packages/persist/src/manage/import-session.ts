import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import * as errors from '@vitrine/core/internal/kit/errors';
import { isSessionId } from '@vitrine/core/internal/kit/ids';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { putFiles } from './document-files.ts';
import { isPlainSession, readPlainSession, withStoredFiles } from './plain-session.ts';
import { type ReadDocument, parseDocument, readSessionDocument } from './session-document.ts';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { withoutTrust } from './without-trust.ts';

/** Options of `importSession`; all are optional. */
export type ImportOptions = {
  /**
   * The trust in the document.
   * - `none` (default): it may come from anybody. System prompt, system messages, model, response format and
   *   remembered approvals are dropped; an open run ends as interrupted; queued messages become the draft.
   * - `full`: the application vouches for it, and it is imported unchanged.
   */
  readonly trust?: 'none' | 'full';
  /** The clocks and ids. Default: those of the system. */
  readonly env?: Env;
};

/**
 * Imports an exported session under its own id or, where that is taken, under a new one. Resolves with the id.
 * `document` is the result of `exportSession`, a session of `importMessages`, or the JSON text of one. Its files are
 * stored where the store keeps files.
 * @throws AgentError `state-invalid` with the path of the error, `state-version-unsupported` for a document of a later
 * version, and the errors of the store; then nothing was written.
 */
export async function importSession(
  store: SessionStore,
  document: unknown,
  { trust = 'none', env = systemEnv }: ImportOptions = {},
): Promise<string> {
  const given = typeof document === 'string' ? parseDocument(document) : document;
  const isPlain = isPlainSession(given);
  const found = isPlain ? readPlainSession(given, env) : readSessionDocument(given, store);
  const { id: ownId } = found.record;
  if (!isSessionId(ownId))
    throw errors.stateInvalid({ path: 'id', what: `${JSON.stringify(ownId)} is no id of a session` });
  const session = trust === 'full' ? found : await withoutTrust(found, env);
  const { id } = session.record;
  const put = isPlain ? putPlain : putDocument;
  if (!(await isTaken(store, id)) && (await isPut(() => put(store, session, id, env)))) return id;
  const other = env.id();
  await put(store, session, other, env);
  return other;
}

/** True when the id is taken, also by an unreadable session. */
async function isTaken(store: SessionStore, id: string): Promise<boolean> {
  try {
    return loadedSession(await store.load(id)) !== null;
  } catch (thrown) {
    if (isAgentError(thrown, 'session-storage')) throw thrown;
    return true;
  }
}

/** False when another writer has taken the id meanwhile. */
async function isPut(put: () => Promise<void>): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (thrown) {
    if (isAgentError(thrown, 'session-conflict')) return false;
    throw thrown;
  }
}

async function putPlain(store: SessionStore, session: ReadDocument, id: string, env: Env): Promise<void> {
  const record = await withStoredFiles(session.record, store, id);
  await putDocument(store, { ...session, record }, id, env);
}

async function putDocument(
  store: SessionStore,
  { record, runs, files }: ReadDocument,
  id: string,
  env: Env,
): Promise<void> {
  await putFiles(files, store, id);
  const journal = { id: env.id(), records: 0, tail: [] };
  await store.save({ ...record, id, version: 0, journal }, { expectedVersion: 0, newRuns: runs });
}
