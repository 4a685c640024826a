import { create } from '../../graph/agent-state/create.ts';
import type { Env } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import { section } from '../../graph/message-store.ts';
import { withSpentOf } from '../../graph/limits.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentChange, AgentEvent, AgentEventBody, AgentEventListener } from '../../run/events.ts';
import { createJournal, type Journal } from '../../run/journal.ts';
import { blankState } from '../publishing/snapshot.ts';

/** The journal of a session: one at a time, and none before the session is used. */
export type SessionJournal = {
  readonly state: () => AgentState;
  readonly current: () => Journal;
  /** Creates the first journal if there is none; its base gets the current time and an id. */
  readonly begin: () => void;
  /**
   * Begins a new journal on the state, or on a blank one, with the messages appended. With an id it continues
   * a stored journal.
   */
  readonly replace: (base: AgentState | null, behind: readonly Message[], id: string | null) => void;
  /** Appends a message to the branch. */
  readonly add: (message: Message, by?: string) => void;
  /** Applies an event of another tab; false when an earlier one is missing. */
  readonly take: (event: AgentEvent) => boolean;
  readonly commit: (body: AgentEventBody, path?: readonly string[]) => void;
};

type JournalOptions = {
  readonly env: Env;
  readonly initialState: AgentState | undefined;
  readonly onEvent: AgentEventListener;
  readonly onJournal: (journal: Journal) => void;
  /** Called with each change and the state before it. */
  readonly onChange: (before: AgentState, event: AgentChange) => void;
};

export function createSessionJournal(options: JournalOptions): SessionJournal {
  const { env, initialState, onEvent, onJournal, onChange } = options;
  let journal: Journal | null = null;
  let unsubscribe: (() => void) | null = null;

  function replace(base: AgentState | null, behind: readonly Message[] = [], id: string | null = null): void {
    unsubscribe?.();
    const next = base ?? create({}, env);
    // A stored journal continues unchanged; any other state takes over the budget spent so far.
    const spent = journal === null || id !== null ? next : withSpentOf(journal.state(), next);
    journal = createJournal(spent, id === null ? { env } : { env, id });
    onJournal(journal);
    let before = journal.state();
    unsubscribe = journal.subscribe((event, state) => {
      if (event.seq !== null) onChange(before, event);
      before = state;
      onEvent(event, state);
    });
    behind.forEach((message) => add(message));
  }

  function add(message: Message, by?: string): void {
    // The explicit parent stays known after a compaction of the messages before it.
    const parentId = section(current().state().context.store).at(-1)?.id ?? null;
    const given = by === undefined ? {} : { by };
    commit({
      type: 'message-add',
      message: { ...message, parentId },
      section: 'messages',
      source: 'user',
      ...given,
    });
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
    begin: () => void current(),
    replace,
    add,
    take: (event) => current().take(event),
    commit,
  };
}
