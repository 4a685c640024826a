import type { PersistenceState } from '../agent-session.ts';
import type { SessionModel } from './session-model.ts';

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
] as const;

/** What the machine of a runner knows, and every other tab shows. */
export type MirroredModel = Pick<SessionModel, (typeof fields)[number] | 'tree'>;

/** Everything about a session that is not in the agent's state. */
export type TabView = MirroredModel & {
  readonly shownTitle: string;
  readonly persistence: PersistenceState;
  /** The build of the agent that runs. */
  readonly agentVersion: string | null;
  /** The commands that were taken last, so that a new runner does none of them twice. */
  readonly taken: readonly string[];
};

/** The part of a view that a machine takes up. */
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

/** What is different; the tree is not looked at: checkpoints come of events, and with another line comes a document. */
export function changedView(before: TabView, view: TabView): Partial<TabView> | null {
  const keys = [...fields, 'shownTitle', 'persistence', 'agentVersion', 'taken'] as const;
  const changed = keys.filter((key) => before[key] !== view[key]);
  return changed.length === 0 ? null : Object.fromEntries(changed.map((key) => [key, view[key]]));
}

/** True when a tree is not what the events have made of the one before. */
export function isOtherTree({ tree: before }: MirroredModel, { tree }: MirroredModel): boolean {
  return before.branches !== tree.branches || tree.checkpoints.length < before.checkpoints.length;
}

/** The view of a machine. */
export function mirrorOf(model: SessionModel): MirroredModel {
  const { phase, run, paused, goesOn, retry, moves, queue, isHeld, error, retrying, draft, title, tree } =
    model;
  return { phase, run, paused, goesOn, retry, moves, queue, isHeld, error, retrying, draft, title, tree };
}
