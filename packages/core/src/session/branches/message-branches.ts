import { nothing } from '../../kit/nothing.ts';

/** The alternatives at the place of a message. */
export type MessageBranches = {
  /** What stands there in any line, oldest first; of an answer its first message. Empty for a message that is not in the active line. */
  readonly ids: readonly string[];
  /** Which of them is in the active line; -1 when none is. */
  readonly index: number;
  /** What answers a message of the person in any line, oldest first: it is there also when the active line has no answer yet. */
  readonly answers: readonly string[];
};

const unknown: MessageBranches = { ids: nothing, index: -1, answers: nothing };

/** What stands beside a message that is not there. */
export const noBranches = (): MessageBranches => unknown;
