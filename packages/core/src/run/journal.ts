import { type Env, systemEnv } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import * as errors from '../kit/errors.ts';
import { freeze, isDevelopment } from '../kit/freeze.ts';
import { createListeners } from '../kit/listeners.ts';
import { apply, isKnownEvent } from './apply.ts';
import { wrongFieldOf } from './event-shapes.ts';
import type {
  AgentChange,
  AgentEvent,
  AgentEventBody,
  AgentEventListener,
  AgentSignal,
  AgentSignalBody,
} from './events.ts';
import { stateAtPath } from './state-at.ts';

declare const process: { env: { NODE_ENV?: string } };

/** The access that a run borrows: it may commit until the lease is revoked, and may read for ever. */
export type JournalLease = {
  readonly state: () => AgentState;
  /** Returns the committed event, or null when the lease was revoked or no agent is at the path. */
  readonly commit: (path: readonly string[], body: AgentEventBody) => AgentChange | null;
  /** Sends listeners an event that changes no state. */
  readonly emit: (path: readonly string[], body: AgentSignalBody) => void;
  readonly subscribe: (listener: AgentEventListener) => () => void;
};

/** The only writer of agent states. */
export type Journal = JournalLease & {
  readonly id: string;
  /** The state before the first event. */
  readonly base: AgentState;
  /**
   * Applies an event that was committed to a copy of this journal; false when it does not follow the last
   * event here, or is one of a later version. Its fields are not checked.
   */
  readonly take: (event: AgentEvent) => boolean;
  /** Lends the journal, and revokes an earlier lease. */
  readonly lease: () => { readonly lease: JournalLease; readonly revoke: () => void };
};

/**
 * Creates a journal on the given state. `commit` stamps an event, sets `state = apply(state, event)` and
 * calls listeners. Listeners receive events in order, also when a listener commits.
 */
export function createJournal(
  base: AgentState,
  { env = systemEnv, id = env.id() }: { env?: Env; id?: string } = {},
): Journal {
  let state = base;
  let holder: object | null = null;
  const listeners = createListeners<{ event: AgentEvent; state: AgentState }>();
  const waiting: { event: AgentEvent; state: AgentState }[] = [];
  let isNotifying = false;

  function notifyAll(event: AgentEvent): void {
    if (isNotifying) return void waiting.push({ event, state });
    isNotifying = true;
    listeners.notify({ event, state });
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) listeners.notify(next);
    isNotifying = false;
  }

  function commit(path: readonly string[], body: AgentEventBody): AgentChange | null {
    const agent = stateAtPath(state, path);
    if (agent === null) return null;
    // A clock that was set back must not make an event look older than its predecessor.
    const at = Math.max(Math.round(env.now()), agent.updatedAt);
    // The loop commits events of its own, whose check stays out of production builds.
    if (isDevelopment && process.env.NODE_ENV !== 'production') {
      const wrong = wrongFieldOf(body);
      if (wrong !== null) throw unsound(body, wrong);
    }
    const event: AgentChange = freeze({ ...body, seq: agent.seq + 1, at, path });
    state = apply(state, event);
    notifyAll(event);
    return event;
  }

  function take(event: AgentEvent): boolean {
    if (event.seq !== null) {
      const agent = stateAtPath(state, event.path);
      const count = 'n' in event ? (event.n ?? 1) : 1;
      if (agent === null || agent.seq + count !== event.seq || !isKnownEvent(event)) return false;
      state = apply(state, freeze(event));
    }
    notifyAll(event);
    return true;
  }

  function emit(path: readonly string[], body: AgentSignalBody): void {
    const event: AgentSignal = freeze({ ...body, seq: null, at: Math.round(env.now()), path });
    notifyAll(event);
  }

  const open: JournalLease = {
    state: () => state,
    commit,
    emit,
    subscribe: (listener) => listeners.add((entry) => listener(entry.event, entry.state)),
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
          emit: (path, body) => (isMine() ? emit(path, body) : undefined),
        },
        revoke() {
          if (isMine()) holder = null;
        },
      };
    },
  };
}

function unsound(body: Partial<AgentEventBody> | null, field: string): Error {
  const what = `its field "${field}" is missing, or not what this event has there`;
  return errors.stateInvalid({ path: `event ${JSON.stringify(body?.type ?? null)}`, what });
}
