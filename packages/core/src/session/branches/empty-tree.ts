import { nothing } from '../../kit/memoize.ts';
import type { SessionTree } from './session-tree.ts';

/** The tree of a session without inactive branches. */
export const emptyTree: SessionTree = { branches: nothing, checkpoints: nothing };
