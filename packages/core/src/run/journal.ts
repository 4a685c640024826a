import { type Env, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import { freeze } from '../kit/freeze.ts';
import { createListeners } from '../kit/listeners.ts';
import { apply } from './apply.ts';
import type {
  AgentChange,
  AgentEvent,
  AgentEventBody,
  AgentEventListener,
  AgentSignal,
  AgentSignalBody,
} from './events.ts';
import { stateAt } from './state-at.ts';

/** What a run is lent: it commits until the lease is revoked, and reads for ever. */
export type JournalLease = {
  readonly state: () => AgentState;
  /** The event as it was committed; null when the lease was revoked or nobody is at the path. */
  readonly commit: (path: readonly string[], body: AgentEventBody) => AgentChange | null;
  /** Tells listeners of something that changes no state. */
  readonly tell: (path: readonly string[], body: AgentSignalBody) => void;
  readonly subscribe: (listener: AgentEventListener) => () => void;
};

/** The one door for change: nothing else makes a new state of an agent. */
export type Journal = JournalLease & {
  readonly id: string;
  /** The state that the events stand on. */
  readonly base: AgentState;
  /** An event as it was committed to a copy of this journal; false when it does not follow what is here. */
  readonly take: (event: AgentEvent) => boolean;
  /** Lends the journal; an earlier lease that was not revoked is revoked. */
  readonly lease: () => { readonly lease: JournalLease; readonly revoke: () => void };
};

/**
 * A journal on the given state. `commit` stamps an event, sets `state = apply(state, event)` and tells listeners,
 * always in the order of the events, also when a listener commits.
 */
export function createJournal(
  base: AgentState,
  { env = systemEnv, id = env.id() }: { env?: Env; id?: string } = {},
): Journal {
  let state = base;
  let holder: object | null = null;
  const listeners = createListeners<{ event: AgentEvent; state: AgentState }>();
  const waiting: { event: AgentEvent; state: AgentState }[] = [];
  let isTelling = false;

  function tellAll(event: AgentEvent): void {
    if (isTelling) return void waiting.push({ event, state });
    isTelling = true;
    listeners.notify({ event, state });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) listeners.notify(next);
    isTelling = false;
  }

  function commit(path: readonly string[], body: AgentEventBody): AgentChange | null {
    const agent = stateAt(state, path);
    if (agent === null) return null;
    // A clock that was set back must not make an event look older than its predecessor.
    const at = Math.max(Math.round(env.now()), agent.updatedAt);
    const event: AgentChange = freeze({ ...body, seq: agent.seq + 1, at, path });
    state = apply(state, event);
    tellAll(event);
    return event;
  }

  function take(event: AgentEvent): boolean {
    if (event.seq !== null) {
      const agent = stateAt(state, event.path);
      const count = 'n' in event ? (event.n ?? 1) : 1;
      if (agent === null || agent.seq + count !== event.seq) return false;
      state = apply(state, freeze(event));
    }
    tellAll(event);
    return true;
  }

  function tell(path: readonly string[], body: AgentSignalBody): void {
    const event: AgentSignal = freeze({ ...body, seq: null, at: Math.round(env.now()), path });
    tellAll(event);
  }

  const open: JournalLease = {
    state: () => state,
    commit,
    tell,
    subscribe: (listener) => listeners.add((told) => listener(told.event, told.state)),
  };

  return {
    ...open,
    id,
    base,
    take,
    lease() {
      const mine = {};
      holder = mine;
      const isMine = (): boolean => holder === mine;
      return {
        lease: {
          ...open,
          commit: (path, body) => (isMine() ? commit(path, body) : null),
          tell: (path, body) => (isMine() ? tell(path, body) : undefined),
        },
        revoke() {
          if (isMine()) holder = null;
        },
      };
    },
  };
}
