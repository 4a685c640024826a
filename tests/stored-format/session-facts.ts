import {
  AgentState,
  Conversation,
  createAgentSession,
  defineAgent,
  exportSession,
  importSession,
  memorySessions,
  Message,
  type SessionStore,
} from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';

/** What a person knows of a session, in words that no format of storing it changes. */
export type SessionFacts = { readonly [what: string]: unknown };

/** What is stored of a session, as an application sees it that opens it. */
export async function factsOf(sessions: SessionStore, id: string): Promise<SessionFacts> {
  const agent = defineAgent({ name: 'reader', inference: scriptedInference([]) });
  const session = createAgentSession({ agent, sessions, sessionId: id });
  await session.ready;
  const { title, status, draft, queue, state, tree, error } = session.store.getState();
  const exported = (await exportSession(sessions, id)) as { runs?: readonly unknown[] };
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
    usage: AgentState.usage(state).totalTokens,
    asked: AgentState.pendingApprovals(state).map(({ toolCall, status: asks }) => [toolCall.name, asks]),
    plugins: state.plugins,
    branches: tree.branches.map((branch) => AgentState.messages(branch.state).map(Message.text)),
    checkpoints: tree.checkpoints.map(({ messageId, store, plugins }) => ({
      messageId,
      before: store.sections.map(({ name, messages }) => [name, messages.map(({ id: each }) => each)]),
      plugins,
    })),
    runs: exported.runs?.length ?? 0,
  };
  await session.dispose();
  return JSON.parse(JSON.stringify(facts)) as SessionFacts;
}

/** The same of an exported session, brought into a store of its own with all that it has. */
export async function factsOfDocument(document: unknown): Promise<SessionFacts> {
  const sessions = memorySessions();
  return factsOf(sessions, await importSession(sessions, document, { trust: 'full' }));
}
