import { childrenOf } from './tree-children.ts';
import { pageSize, type TreeOptions } from './tree-rows.ts';

/** The options of a tree that make one place in it visible. */
export type Revealed = Pick<TreeOptions, 'limits'> & {
  readonly path: string;
  /** The paths of all parents of the place. */
  readonly expanded: readonly string[];
};

/**
 * Calculates the options that make a place visible: its parents are expanded, and lists are long enough.
 */
export function revealPath(root: unknown, rootKey: string, keys: readonly string[]): Revealed {
  const expanded: string[] = [];
  const limits = new Map<string, number>();
  let [value, path] = [root, rootKey];
  for (const key of keys) {
    const children = childrenOf(value);
    const at = children.findIndex(([name]) => name === key);
    expanded.push(path);
    if (at >= pageSize) limits.set(path, Math.ceil((at + 1) / pageSize) * pageSize);
    [value, path] = [children[at]?.[1], `${path}.${key}`];
  }
  return { path, expanded, limits };
}
