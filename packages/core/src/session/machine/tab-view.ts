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

/** The fields of the model that are sent when they change. */
export const mirroredFields = [
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
export type MirroredModel = Pick<SessionModel, (typeof mirroredFields)[number] | 'tree'>;

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
