import type { AgentState } from '../../graph/types.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionModel } from './session-model.ts';

/** A state to begin with, and the rest of the session. */
export type TabDocument = {
  readonly journalId: string;
  /** The ids of the known earlier journals, oldest first. */
  readonly earlier: readonly string[];
  readonly state: AgentState;
  readonly view: TabView;
};

const fields = [
  'phase',
  'run',
  'paused',
  'goesOn',
  'retry',
  'moves',
  'queue',
  'isHeld',
  'error',
  'retrying',
  'draft',
  'title',
  'conflict',
  'elsewhere',
] as const;

/** The part of the leader's model that every tab shows. */
type MirroredModel = Pick<SessionModel, (typeof fields)[number] | 'tree'>;

/** The whole session apart from the state of the agent. */
export type TabView = MirroredModel & {
  readonly shownTitle: string;
  readonly persistence: PersistenceState;
  /** The version of the agent that runs. */
  readonly agentVersion: string | null;
  /** The ids of the last commands taken, so that a new leader repeats none of them. */
  readonly taken: readonly string[];
};

/** The part of a view that belongs to the model. */
export function mirrored(view: Partial<TabView>): Partial<MirroredModel> {
  const {
    shownTitle: _title,
    persistence: _persistence,
    agentVersion: _version,
    taken: _taken,
    ...model
  } = view;
  return model;
}

/**
 * The changed fields, or null. The tree is left out: events carry checkpoints, and a document carries
 * branches.
 */
export function changedView(before: TabView, view: TabView): Partial<TabView> | null {
  const keys = [...fields, 'shownTitle', 'persistence', 'agentVersion', 'taken'] as const;
  const changed = keys.filter((key) => before[key] !== view[key]);
  return changed.length === 0 ? null : Object.fromEntries(changed.map((key) => [key, view[key]]));
}

/** True when the tree changed in another way than by events. */
export function isOtherTree({ tree: before }: MirroredModel, { tree }: MirroredModel): boolean {
  return before.branches !== tree.branches || tree.checkpoints.length < before.checkpoints.length;
}

/** The view of a model. */
export function mirrorOf(model: SessionModel): MirroredModel {
  const { phase, run, paused, goesOn, retry, moves, queue, isHeld, error, retrying, draft, title, tree } =
    model;
  const { conflict = null, elsewhere = null } = model;
  const own = {
    phase,
    run,
    paused,
    goesOn,
    retry,
    moves,
    queue,
    isHeld,
    error,
    retrying,
    draft,
    title,
    tree,
  };
  return { ...own, conflict, elsewhere };
}
