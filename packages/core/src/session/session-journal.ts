import { create } from '../graph/agent-state/create.ts';
import type { Env } from '../graph/env.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentEventBody, AgentEventListener } from '../run/events.ts';
import { createJournal, type Journal } from '../run/journal.ts';
import { blankState } from './blank-state.ts';

/** The journal of a session: one at a time, and none before the session is used. */
export type SessionJournal = {
  readonly state: () => AgentState;
  readonly current: () => Journal;
  /** Empty before there is one. */
  readonly id: () => string;
  /** Makes the first journal if there is none; its base is stamped with the time and an id. */
  readonly begin: () => void;
  /** A new journal on the state, or on a blank one, with the messages put behind it. */
  readonly replace: (base: AgentState | null, behind: readonly Message[]) => void;
  readonly commit: (body: AgentEventBody, path?: readonly string[]) => void;
};

type JournalOptions = {
  readonly env: Env;
  readonly initialState: AgentState | undefined;
  readonly onEvent: AgentEventListener;
  readonly onJournal: (journal: Journal) => void;
};

export function createSessionJournal(options: JournalOptions): SessionJournal {
  const { env, initialState, onEvent, onJournal } = options;
  let journal: Journal | null = null;
  let unsubscribe: (() => void) | null = null;

  function replace(base: AgentState | null, behind: readonly Message[] = []): void {
    unsubscribe?.();
    journal = createJournal(base ?? create({}, env), { env });
    onJournal(journal);
    unsubscribe = journal.subscribe(onEvent);
    for (const message of behind)
      commit({ type: 'message-add', message, section: 'messages', source: 'user' });
  }

  function current(): Journal {
    if (journal === null) replace(initialState ?? null);
    return journal as Journal;
  }

  function commit(body: AgentEventBody, path: readonly string[] = []): void {
    current().commit(path, body);
  }

  return {
    state: () => journal?.state() ?? initialState ?? blankState,
    current,
    id: () => journal?.id ?? '',
    begin: () => void current(),
    replace,
    commit,
  };
}
