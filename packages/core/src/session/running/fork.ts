import { create } from '../../graph/agent-state/create.ts';
import type { Env } from '../../graph/env.ts';
import { section, withSection } from '../../graph/message-store.ts';
import { fieldsWithoutRun } from '../../graph/agent-state/transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { freeze } from '../../kit/freeze.ts';
import type { Saved } from '../persistence.ts';
import { pluginsAt } from '../branches/branch-before.ts';
import type { SessionTree } from '../branches/session-tree.ts';
import { copyBlobs } from '../store/attachments.ts';
import type { SessionRecord, SessionStore } from '../store/session-store.ts';

/** Creates a session from the first messages of another: a new agent without a run, queue or branches. */
export function forkedRecord(
  source: Saved & { readonly title: string },
  { sessionId, end }: { readonly sessionId: string; readonly end: number },
  env: Env,
): SessionRecord {
  const { state, agentName, title } = source;
  const forked = forkedState(state, source, end, env);
  const kept = new Set(section(forked.context.store).map(({ id }) => id));
  const { createdAt, updatedAt } = forked;
  return {
    id: sessionId,
    version: 0,
    title,
    agentName,
    parentId: source.id,
    createdAt,
    updatedAt,
    status: 'active',
    executionStatus: null,
    queue: [],
    draft: '',
    state: forked,
    journal: { id: env.id(), records: 0, tail: [] },
    branches: [],
    checkpoints: source.checkpoints.filter(({ messageId }) => kept.has(messageId)),
  };
}

function forkedState(state: AgentState, tree: SessionTree, end: number, env: Env): AgentState {
  const { agentId, createdAt, updatedAt } = create({}, env);
  const said = section(state.context.store);
  const messages = end === said.length ? said : said.slice(0, end);
  const store = withSection(withSection(state.context.store, 'execution_buffer', []), 'messages', messages);
  const own = { agentId, parentAgentId: null, createdAt, updatedAt, seq: 0, executionCount: 0 };
  // A fork keeps the remaining budget of its session and gets no new one.
  const begun = fieldsWithoutRun(state);
  const plugins = pluginsAt(state, tree, { messages: said, at: end });
  return freeze({ ...state, ...own, ...begun, context: { ...state.context, store }, plugins });
}

export async function saveFork(
  record: SessionRecord,
  from: SessionStore | undefined,
  forks: SessionStore | undefined,
): Promise<void> {
  if (forks === undefined) throw noForks();
  await copyBlobs(record, from, forks);
  try {
    await forks.save(record, { expectedVersion: 0 });
  } catch (thrown) {
    // A fork id is unique, so the session was saved before and the answer was lost.
    if (!isAgentError(thrown, 'session-conflict')) throw thrown;
  }
}

function noForks(): AgentError {
  const message =
    'fork(): there is no store to put the new session into. Give the session `sessions`, or `forks`.';
  return new AgentError('session-storage', message);
}
