import {
  AgentState,
  Conversation,
  createAgentSession,
  defineAgent,
  fold,
  loadedSession,
  Message,
  type SessionStore,
} from '@vitrine/core';
import { exportSession, importSession, memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';

/** The facts about a session that a person knows, independent of its stored format. */
export type SessionFacts = { readonly [what: string]: unknown };

/** The facts about a stored session, as an application sees them when it opens it. */
export async function factsOf(sessions: SessionStore, id: string): Promise<SessionFacts> {
  const agent = defineAgent({ name: 'reader', inference: scriptedInference([]) });
  const session = createAgentSession({ agent, sessions, sessionId: id });
  await session.ready;
  const { title, status, draft, queue, state, tree, error } = session.store.getState();
  const exported = memorySessions();
  const copy = await importSession(exported, await exportSession(sessions, id), { trust: 'full' });
  const facts = {
    title,
    status,
    draft,
    error: error?.code ?? null,
    queue: queue.map(({ text, isSteered }) => [text, isSteered]),
    systemPrompt: state.context.systemPrompt,
    model: state.llmConfig?.model ?? null,
    metadata: state.context.metadata,
    conversation: Conversation.messages(state),
    messages: AgentState.messages(state).map((message) => [message.role, Message.text(message)]),
    steps: AgentState.steps(state).length,
    execution: state.execution?.status ?? null,
    by: state.execution?.by,
    usage: AgentState.usage(state).totalTokens,
    asked: AgentState.pendingApprovals(state).map(({ toolCall, status: asks }) => [toolCall.name, asks]),
    plugins: state.plugins,
    branches: tree.branches.map((branch) => AgentState.messages(branch.state).map(Message.text)),
    checkpoints: tree.checkpoints.map(({ messageId, store, plugins }) => ({
      messageId,
      before: store.sections.map(({ name, messages }) => [name, messages.map(({ id: each }) => each)]),
      plugins,
    })),
    runs: (await exported.runs(copy)).length,
    // Sessions without breakpoints were written before there were any.
    ...(state.breakpoints.length === 0
      ? {}
      : { breakpoints: state.breakpoints, waits: AgentState.breakHits(state) }),
  };
  await session.dispose();
  return JSON.parse(JSON.stringify(facts)) as SessionFacts;
}

/** The id of a session that was removed from the store of a fixture. */
export const removedId = 'removed';

/** The records that a store keeps for writers and followers of a session, which no document holds. */
export async function besideOf(sessions: SessionStore, id: string): Promise<SessionFacts> {
  const record = loadedSession(await sessions.load(id));
  const removed = await sessions.load(removedId);
  const facts = {
    epoch: record?.epoch ?? 0,
    taken: record?.taken ?? [],
    spent: record && fold(record.state, record.journal.tail).spentBefore,
    draft: record?.draft,
    movedTo: record?.movedTo,
    outbox: await sessions.outbox.take(id),
    removed,
  };
  return JSON.parse(JSON.stringify(facts)) as SessionFacts;
}

/** The same of an exported session, brought into a store of its own with all that it has. */
export async function factsOfDocument(document: unknown): Promise<SessionFacts> {
  const sessions = memorySessions();
  return factsOf(sessions, await importSession(sessions, document, { trust: 'full' }));
}
