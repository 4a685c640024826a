import { pendingApprovals } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import type {
  SessionActivity,
  SessionSnapshot,
  SessionStatus,
  WritableSnapshotStore,
} from '../agent-session.ts';
import type { SessionCommand, SessionInput } from '../machine/session-input.ts';
import {
  type AgentLimits,
  isElsewhere,
  type QueuedTurn,
  type SessionModel,
} from '../machine/session-model.ts';
import { isOpen, waitsForPerson, liveMessages } from '../machine/state-facts.ts';
import type { QueuedMessage } from '../store/queued-message.ts';
import type { ShownPersistence } from '../persistence.ts';
import { empty } from '../../graph/message-store.ts';
import { freeze } from '../../kit/freeze.ts';
import { createListeners } from '../../kit/listeners.ts';

/** The current work of a run. */
export type RunProgress = { readonly hasAnswer: boolean; readonly activity: SessionActivity };

export type SnapshotSource = Omit<ShownPersistence, 'isSettled' | 'limits'> & {
  readonly id: string | null;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly limits: AgentLimits;
  readonly work: RunProgress | null;
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
  const { id, title, model, state, limits, persistence, where, unsent, waiting } = source;
  const status = statusOf(source);
  const next: SessionSnapshot = {
    id,
    title,
    state,
    budget: limits.budget,
    sessionBudget: limits.sessionBudget,
    status,
    activity: keepEqual(before?.activity, activityOf(source, status)),
    turn: model.run?.turn ?? turnOfReread(model) ?? model.paused?.turn ?? null,
    error: model.error,
    queue: queueOf(model.queue),
    draft: waiting.findLast((command) => command.type === 'set-draft')?.draft ?? model.draft,
    persistence: keepEqual(before?.persistence, persistence),
    where,
    unsent: keepEqual(before?.unsent, unsent),
    movedTo: model.moved ?? null,
    tree: model.tree,
  };
  const keys = Object.keys(next) as (keyof SessionSnapshot)[];
  return before !== null && keys.every((key) => next[key] === before[key]) ? before : next;
}

/** The status, for chat, panel and hooks alike. It is computed only here, as is the activity. */
function statusOf({ model, state, waiting, work }: SnapshotSource): SessionStatus {
  if (model.phase === 'deleted') return 'deleted';
  if (model.phase === 'ended') return 'error';
  // Without a store there is nothing to read.
  if (model.phase === 'loading' && model.hasStore) return 'loading';
  if (model.conflict?.phase === 'asking') return 'conflict';
  // What goes on there is not known here.
  if ((model.moved ?? null) !== null) return 'ready';
  if (work !== null) return work.hasAnswer ? 'streaming' : 'submitted';
  // A waiting command will make a turn, or an overtaken one goes on when the stored session is read.
  if (waiting.some(({ type }) => starting.has(type)) || turnOfReread(model) !== null) return 'submitted';
  if (waitsForPerson(state)) return 'awaiting-input';
  if (model.error !== null) return 'error';
  if (isElsewhere(model)) return isOpen(state) && hasOutput(state) ? 'streaming' : 'submitted';
  if (!isOpen(state)) return 'ready';
  // Its leader has not reported its status yet, or has not begun to go on with the open run.
  if (model.awaitsLeader === true || (model.isFollowing === true && model.goesOn))
    return hasOutput(state) ? 'streaming' : 'submitted';
  return 'interrupted';
}

function hasOutput(state: AgentState): boolean {
  return (
    (state.execution?.stepExecutions.length ?? 0) > 0 ||
    liveMessages(state).some(({ parts }) => parts.length > 0)
  );
}

function activityOf(
  { model, state, connection, work }: SnapshotSource,
  status: SessionStatus,
): SessionActivity {
  // What goes on there is not known until it is back.
  if (connection === 'reconnecting' || connection === 'offline') return { type: connection };
  if (work !== null) return work.activity;
  if (isElsewhere(model) && (status === 'submitted' || status === 'streaming')) return { type: 'elsewhere' };
  if (status === 'submitted') return { type: 'thinking' };
  if (model.phase !== 'open' || !waitsForPerson(state)) return { type: 'idle' };
  return waitingActivity(state);
}

/** The activity of a run that waits for a person; questions come before breakpoints. */
export function waitingActivity(state: AgentState): SessionActivity {
  if (pendingApprovals(state).length === 0) return { type: 'paused' };
  return { type: 'waiting', toolCallIds: pendingApprovals(state).map(({ id }) => id) };
}

/** The overtaken turn, until it is known how it continues. */
function turnOfReread({ conflict = null }: SessionModel): SessionSnapshot['turn'] {
  return conflict?.phase === 'reading' ? (conflict.run?.turn ?? null) : null;
}

/** Returns the value before when both have the same JSON. One function makes all of a kind, so key order is equal. */
function keepEqual<Value>(before: Value | undefined, value: Value): Value {
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

export function createSnapshotStore(initial: () => SessionSnapshot): WritableSnapshotStore {
  const first = initial();
  const listeners = createListeners<{ readonly next: SessionSnapshot; readonly previous: SessionSnapshot }>();
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
