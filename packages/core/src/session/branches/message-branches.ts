import { nothing } from '../../kit/nothing.ts';

/** The alternatives at a message. */
export type MessageBranches = {
  /**
   * The ids of the alternatives on all branches, oldest first; an answer counts by its first message. Empty
   * for a message that is not on the active branch.
   */
  readonly ids: readonly string[];
  /** The index of the alternative on the active branch; -1 when there is none. */
  readonly index: number;
  /**
   * The answers to a user message on all branches, oldest first, also while the active branch has no answer
   * yet.
   */
  readonly answers: readonly string[];
};

const unknown: MessageBranches = { ids: nothing, index: -1, answers: nothing };

/** The alternatives of an unknown message. */
export const noBranches = (): MessageBranches => unknown;
