import { create } from '../../graph/agent-state/create.ts';
import type { Env } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import { section } from '../../graph/message-store.ts';
import { withSpentOf } from '../../graph/limits.ts';
import type { AgentState } from '../../graph/types.ts';
import { present } from '../../kit/json.ts';
import type { AgentChange, AgentEventBody, AgentEventListener } from '../../run/events.ts';
import { createJournal, type Journal } from '../../run/journal.ts';
import { blankState } from '../publishing/snapshot.ts';

type JournalOptions = {
  readonly env: Env;
  readonly initialState: AgentState | undefined;
  readonly onEvent: AgentEventListener;
  readonly onJournal: (journal: Journal) => void;
  readonly onChange: (before: AgentState, event: AgentChange) => void;
};

/** The journal of a session: one at a time, and none before the session is used. */
export class SessionJournal {
  readonly #options: JournalOptions;
  #journal: Journal | null = null;
  #unsubscribe: (() => void) | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  get state(): AgentState {
    return this.#journal?.state() ?? this.#options.initialState ?? blankState;
  }

  /** Returns the journal. The first one is created here; its base gets the current time and an id. */
  current(): Journal {
    if (this.#journal === null) this.replace(this.#options.initialState ?? null);
    return this.#journal as unknown as Journal;
  }

  /** Begins a journal on the state, or a blank one, and appends messages. With an id it continues a stored one. */
  replace(base: AgentState | null, behind: readonly Message[] = [], id: string | null = null): void {
    const { env, onEvent, onJournal, onChange } = this.#options;
    this.#unsubscribe?.();
    const next = base ?? create({}, env);
    // A stored journal continues unchanged; any other state takes over the budget spent so far.
    const spent = this.#journal === null || id !== null ? next : withSpentOf(this.state, next);
    const journal = createJournal(spent, id === null ? { env } : { env, id });
    this.#journal = journal;
    onJournal(journal);
    let before = journal.state();
    this.#unsubscribe = journal.subscribe((event, state) => {
      if (event.seq !== null) onChange(before, event);
      before = state;
      onEvent(event, state);
    });
    behind.forEach((message) => this.add(message));
  }

  add(message: Message, by?: string): void {
    // The explicit parent stays known after a compaction of the messages before it.
    const parentId = section(this.current().state().context.store).at(-1)?.id ?? null;
    const added = { ...message, parentId };
    this.commit({
      type: 'message-add',
      message: added,
      section: 'messages',
      source: 'user',
      ...present({ by }),
    });
  }

  commit(body: AgentEventBody, path: readonly string[] = []): void {
    this.current().commit(path, body);
  }
}
