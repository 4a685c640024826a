import { childrenOf } from './tree-children.ts';
import { pageSize, type TreeOptions } from './tree-rows.ts';

/** What a tree has to show so that one place in it has a row. */
export type Revealed = Pick<TreeOptions, 'limits'> & {
  readonly path: string;
  /** All that the place is in. */
  readonly expanded: readonly string[];
};

/** What it takes to see the place that keys lead to from a root: what it is in is open, and lists go as far as it. */
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
