import { type Env, systemEnv } from '../../graph/env.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import * as errors from '../../kit/errors.ts';
import { assertSessionId } from '../../kit/check-id.ts';
import type { SessionStore } from '../stores/session-store.ts';
import { putFiles } from './document-files.ts';
import { type ReadDocument, readDocument } from './read-document.ts';
import { withoutTrust } from './without-trust.ts';

/** How a session is imported; nothing is required. */
export type ImportOptions = {
  /**
   * `none` (default): it may come from anybody. It brings no system prompt, system message, model, format of answers or
   * remembered approval; a run in progress ends as interrupted, and queued messages become the draft. `full`: the
   * application answers for it, and it comes as it was.
   */
  readonly trust?: 'none' | 'full';
  /** Default: the system's clocks and ids. */
  readonly env?: Env;
};

/**
 * Puts an exported session into a store, under its own id or, where that is taken, under a new one; `document` is what
 * `exportSession` gave, or its JSON text; its files go where the store keeps files. Resolves with the id.
 * @throws AgentError `state-invalid` with the path of what is wrong, `state-version-unsupported` for a document of a
 * later version, and what the store throws; then nothing was written.
 */
export async function importSession(
  store: SessionStore,
  document: unknown,
  { trust = 'none', env = systemEnv }: ImportOptions = {},
): Promise<string> {
  const found = readDocument(document, store);
  checkId(found.record.id);
  const session = trust === 'full' ? found : await withoutTrust(found, env);
  const { id } = session.record;
  if (!(await isTaken(store, id)) && (await isPut(store, session, id, env))) return id;
  const other = env.id();
  await put(store, session, other, env);
  return other;
}

function checkId(id: string): void {
  try {
    assertSessionId(id);
  } catch {
    throw errors.stateInvalid({ path: 'id', what: `${JSON.stringify(id)} is no id of a session` });
  }
}

/** By what cannot be read as well. */
async function isTaken(store: SessionStore, id: string): Promise<boolean> {
  try {
    return (await store.load(id)) !== null;
  } catch (thrown) {
    if (isAgentError(thrown, 'session-storage')) throw thrown;
    return true;
  }
}

/** False when somebody else has taken the id meanwhile. */
async function isPut(store: SessionStore, session: ReadDocument, id: string, env: Env): Promise<boolean> {
  try {
    await put(store, session, id, env);
    return true;
  } catch (thrown) {
    if (isAgentError(thrown, 'session-conflict')) return false;
    throw thrown;
  }
}

async function put(
  store: SessionStore,
  { record, runs, files }: ReadDocument,
  id: string,
  env: Env,
): Promise<void> {
  await putFiles(files, store, id);
  const journal = { id: env.id(), records: 0, tail: [] };
  await store.save({ ...record, id, version: 0, journal }, { expectedVersion: 0, newRuns: runs });
}
