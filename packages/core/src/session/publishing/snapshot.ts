import type { AgentState } from '../../graph/types.ts';
import { memoize } from '../../kit/memoize.ts';
import { nothing } from '../../kit/nothing.ts';
import type { PersistenceState, SessionSettings, SessionSnapshot } from '../agent-session.ts';
import { progressOf, type Work } from './progress.ts';
import type { SessionCommand, SessionInput } from '../machine/session-input.ts';
import type { QueuedTurn, SessionModel } from '../machine/session-model.ts';
import type { QueuedMessage } from '../stores/queued-message.ts';

/** What a snapshot is made of. */
export type SnapshotSource = {
  readonly id: string | null;
  readonly title: string;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly settings: SessionSettings;
  /** What the run that goes on is at. */
  readonly work: Work | null;
  readonly persistence: PersistenceState;
  /** Commands that wait for the stored session, or for the engine. */
  readonly waiting: readonly SessionInput[];
};

const starting: ReadonlySet<SessionInput['type']> = new Set<SessionCommand['type']>([
  'send',
  'retry',
  'resume',
  'move',
]);

/** The messages of a queue: the same array for the same queue. */
export const queueOf: (queue: readonly QueuedTurn[]) => readonly QueuedMessage[] = memoize((queue) =>
  queue.length === 0 ? nothing : queue.map(({ message }) => message),
);

/** The snapshot of the moment; the one before when nothing is different, and its parts where they are not. */
export function snapshotOf(source: SnapshotSource, before: SessionSnapshot | null): SessionSnapshot {
  const { id, title, model, state, settings, persistence, waiting, work } = source;
  const { agent } = settings;
  const isAsked = waiting.some(({ type }) => starting.has(type));
  const { status, activity } = progressOf({ model, state, isAsked, work });
  const next: SessionSnapshot = {
    id,
    title,
    state,
    budget: agent.budget,
    status,
    activity: kept(before?.activity, activity),
    turn: model.run?.turn ?? model.paused?.turn ?? null,
    error: model.error,
    queue: queueOf(model.queue),
    draft: waiting.findLast((command) => command.type === 'set-draft')?.draft ?? model.draft,
    persistence: kept(before?.persistence, persistence),
    tree: model.tree,
  };
  const keys = Object.keys(next) as (keyof SessionSnapshot)[];
  return before !== null && keys.every((key) => next[key] === before[key]) ? before : next;
}

/** The value before when both say the same; one function makes all of a kind, so equal ones are written alike. */
function kept<Value>(before: Value | undefined, value: Value): Value {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(value) ? before : value;
}
