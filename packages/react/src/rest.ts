import {
  type AgentSession,
  type AgentSessionOptions,
  createAgentSession,
  type SessionSnapshot,
} from '@vitrine/core';
import type { StoreApi } from 'zustand/vanilla';

const busy: ReadonlySet<SessionSnapshot['status']> = new Set(['loading', 'submitted', 'streaming']);

/** Nothing goes on, nothing is about to begin, and nothing is only in memory that a store was meant to have. */
export function isQuiet({ status, persistence, queue, turn }: SessionSnapshot, isStored: boolean): boolean {
  if (busy.has(status) || turn?.status === 'running') return false;
  if (persistence.status === 'saving' || persistence.status === 'degraded') return false;
  return queue.length === 0 || (isStored && status !== 'ready');
}

/**
 * A new session in the place of one that was put to rest, behind the same store: views keep what they show while what is
 * stored is read again. Without a store it begins with what the last one has shown.
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
        // What is typed is shown also while it is read: an input that stood still would lose letters.
        setState: (next) =>
          next.status === 'loading' ? store.setState({ draft: next.draft }) : store.setState(next, true),
      };
    },
  });
  if (options.sessions === undefined && firstTitle !== title) void session.rename(title);
  return session;
}
