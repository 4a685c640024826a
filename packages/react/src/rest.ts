import {
  type AgentSession,
  type AgentSessionOptions,
  createAgentSession,
  type SessionSnapshot,
} from '@vitrine/core';
import type { StoreApi } from 'zustand/vanilla';

/**
 * Creates a session that continues a rested one behind the same store object, so that views keep their
 * content while the stored session is read. Without a session store it starts from the last state shown.
 */
export function goOn(
  last: AgentSession,
  store: StoreApi<SessionSnapshot>,
  options: AgentSessionOptions,
): AgentSession {
  const { state, tree, draft, title } = store.getState();
  let firstTitle = title;
  const session = createAgentSession({
    ...options,
    sessionId: last.id() ?? options.sessionId,
    ...(options.sessions === undefined ? { initialState: state, initialTree: tree } : {}),
    initialDraft: draft,
    createStore(initial) {
      firstTitle = initial().title;
      return {
        ...store,
        // The draft is shown even while loading, because an input that ignores it would lose letters.
        setState: (next) =>
          next.status === 'loading' ? store.setState({ draft: next.draft }) : store.setState(next, true),
      };
    },
  });
  if (options.sessions === undefined && firstTitle !== title) void session.rename(title);
  return session;
}
