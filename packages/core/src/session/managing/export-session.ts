import { agentStateCodec, executionStateCodec } from '../../graph/document/codecs.ts';
import { createMessageTable } from '../../graph/document/message-table.ts';
import { ownJson, takeMessage } from '../../graph/document/parts.ts';
import { type Env, systemEnv } from '../../graph/env.ts';
import type { ExecutionState } from '../../graph/types.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import { liveRecord } from '../stores/live-record.ts';
import type { RawSession, SessionRecord, SessionStore } from '../stores/session-store.ts';
import { takeFiles } from './document-files.ts';
import { notFound } from './change-head.ts';
import { loadedSession } from '../stores/loaded-session.ts';
import {
  documentSchemaName,
  type SessionDocument,
  sessionDocumentVersion,
} from './session-document-schema.ts';

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
 * Exports a stored session as one JSON document: messages, branches, runs, plugin state, queue, draft and
 * files.
 * An unreadable session is exported as its stored texts, where the store has `raw`.
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
  const document = documentOf(record, (await store.runs?.(id)) ?? [], exportedAt);
  const files = await takeFiles(document, store);
  return Object.keys(files).length === 0 ? document : { ...document, files };
}

function isUnreadable(thrown: unknown): boolean {
  return isAgentError(thrown, 'state-invalid') || isAgentError(thrown, 'state-version-unsupported');
}

function documentOf(
  record: SessionRecord,
  earlier: readonly ExecutionState[],
  exportedAt: number,
): SessionDocument {
  const { id, title, agentName, parentId, createdAt, updatedAt, queue, draft } = record;
  const { state, checkpoints, replacedRuns } = liveRecord(record);
  const table = createMessageTable();
  const points = checkpoints.map(({ messageId, store, plugins }) => ({
    messageId,
    sections: store.sections.map(({ name, messages }) => ({ name, messages: table.rangesOf(messages) })),
    plugins: ownJson(plugins),
  }));
  return {
    $schema: documentSchemaName,
    version: sessionDocumentVersion,
    exportedAt,
    id,
    title,
    agentName,
    parentId,
    createdAt,
    updatedAt,
    queue: ownJson(queue),
    draft,
    state: agentStateCodec.toJSON(state),
    branches: record.branches.map((branch) => ({ ...branch, state: agentStateCodec.toJSON(branch.state) })),
    messages: table.messages.map(takeMessage),
    checkpoints: points,
    runs: withoutTwins([...earlier, ...replacedRuns]).map(executionStateCodec.toJSON),
  };
}

/** Removes duplicates of runs: a store with `runs` also returns those of the tail. */
function withoutTwins(runs: readonly ExecutionState[]): readonly ExecutionState[] {
  return [...new Map(runs.map((run) => [run.executionId, run])).values()];
}
