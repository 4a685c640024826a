import { nothing } from '../kit/nothing.ts';
import type { MessageBranches } from './conversation-branches.ts';

const unknown: MessageBranches = { ids: nothing, index: -1, answers: nothing };

/** What stands beside a message that is not there. */
export const noBranches = (): MessageBranches => unknown;
