import type { AgentSession } from './agent-session.ts';

/** Where sessions are announced, so that a panel finds them whatever framework made them. */
export type SessionHub = {
  readonly version: 1;
  /** Live sessions, oldest first; the same array until one comes or goes. */
  readonly sessions: () => readonly AgentSession[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the function that takes the session off again. */
  readonly register: (session: AgentSession) => () => void;
};

const key = Symbol.for('vitrine.session-hub');
type HubHolder = { [key]?: SessionHub };

/** The hub of this page. The first to ask makes it, so that two copies of the library share one. */
export function sessionHub(): SessionHub {
  const holder = globalThis as HubHolder;
  return (holder[key] ??= createHub());
}

function createHub(): SessionHub {
  const listeners = new Set<() => void>();
  let sessions: readonly AgentSession[] = [];
  const replace = (next: readonly AgentSession[]): void => {
    sessions = next;
    for (const listener of listeners) listener();
  };
  return {
    version: 1,
    sessions: () => sessions,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    register(session) {
      replace([...sessions, session]);
      return () => replace(sessions.filter((candidate) => candidate !== session));
    },
  };
}
