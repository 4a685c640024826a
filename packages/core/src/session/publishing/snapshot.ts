import type { AgentState } from '../../graph/types.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import type {
  PersistenceState,
  SessionPlace,
  SessionSnapshot,
  UnsentCommand,
  WritableSnapshotStore,
} from '../agent-session.ts';
import { progressOf, type Work } from './progress.ts';
import type { SessionCommand, SessionInput } from '../machine/session-input.ts';
import type { AgentLimits, QueuedTurn, SessionModel } from '../machine/session-model.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';
import type { LinkConnection } from '../stores/tab-link.ts';
import { empty } from '../../graph/message-store.ts';
import { freeze } from '../../kit/freeze.ts';
import { createListeners } from '../../kit/listeners.ts';

/** The input of a snapshot. */
export type SnapshotSource = {
  readonly id: string | null;
  readonly title: string;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly limits: AgentLimits;
  /** The current work of the run; null without one. */
  readonly work: Work | null;
  readonly persistence: PersistenceState;
  readonly where: SessionPlace;
  readonly connection: LinkConnection;
  readonly unsent: readonly UnsentCommand[];
  /** Commands that wait for the stored session, or for the engine. */
  readonly waiting: readonly SessionInput[];
};

const starting: ReadonlySet<SessionInput['type']> = new Set<SessionCommand['type']>([
  'send',
  'retry',
  'continue',
  'resume',
  'move',
]);

/** The messages of a queue; the same array for the same queue. */
export const queueOf: (queue: readonly QueuedTurn[]) => readonly QueuedMessage[] = memoize((queue) =>
  queue.length === 0 ? nothing : queue.map(({ message }) => message),
);

/** Creates the snapshot. Unchanged parts, or the whole, keep the reference of the snapshot before. */
export function snapshotOf(source: SnapshotSource, before: SessionSnapshot | null): SessionSnapshot {
  const { id, title, model, state, limits, persistence, where, connection, unsent, waiting, work } = source;
  const isAsked = waiting.some(({ type }) => starting.has(type));
  const { status, activity } = progressOf({ model, state, connection, isAsked, work });
  const next: SessionSnapshot = {
    id,
    title,
    state,
    budget: limits.budget,
    sessionBudget: limits.sessionBudget,
    status,
    activity: kept(before?.activity, activity),
    turn: model.run?.turn ?? takenUp(model) ?? model.paused?.turn ?? null,
    error: model.error,
    queue: queueOf(model.queue),
    draft: waiting.findLast((command) => command.type === 'set-draft')?.draft ?? model.draft,
    persistence: kept(before?.persistence, persistence),
    where,
    unsent: kept(before?.unsent, unsent),
    movedTo: model.moved ?? null,
    tree: model.tree,
  };
  const keys = Object.keys(next) as (keyof SessionSnapshot)[];
  return before !== null && keys.every((key) => next[key] === before[key]) ? before : next;
}

/** The overtaken turn, until it is known how it continues. */
function takenUp({ conflict = null }: SessionModel): SessionSnapshot['turn'] {
  return conflict?.phase === 'reading' ? (conflict.run?.turn ?? null) : null;
}

/**
 * Returns the value before when both have the same JSON. One function makes all of a kind, so key order is
 * equal.
 */
function kept<Value>(before: Value | undefined, value: Value): Value {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(value) ? before : value;
}

/** The state of an unused session. It needs no clock and no id, so it is equal on server and client. */
export const blankState: AgentState = /* @__PURE__ */ freeze({
  agentId: '00000000-0000-0000-0000-000000000000',
  parentAgentId: null,
  createdAt: 0,
  updatedAt: 0,
  seq: 0,
  executionCount: 0,
  llmConfig: null,
  context: { store: /* @__PURE__ */ empty(), metadata: {}, systemPrompt: '', responseFormat: null },
  plugins: {},
  texts: {},
  retained: {},
  spentBefore: null,
  breakpoints: [],
  execution: null,
});

type Change = { readonly next: SessionSnapshot; readonly previous: SessionSnapshot };

/** Creates the default store of a session. */
export function createSnapshotStore(initial: () => SessionSnapshot): WritableSnapshotStore {
  const first = initial();
  const listeners = createListeners<Change>();
  let state = first;
  return {
    getState: () => state,
    getInitialState: () => first,
    subscribe: (listener) => listeners.add(({ next, previous }) => listener(next, previous)),
    setState(next) {
      const previous = state;
      state = next;
      listeners.notify({ next, previous });
    },
  };
}
