import { nothing } from '../../kit/nothing.ts';
import type { SessionTree } from './session-tree.ts';

/** The tree of a session of which no line was left. */
export const emptyTree: SessionTree = { branches: nothing, checkpoints: nothing };
