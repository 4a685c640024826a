import { isSecretName, redacted } from '@vitrine/core/inspect';
import { describeNode } from './describe-node.ts';
import { childBefore, childCount, childrenOf } from './tree-children.ts';

/** Items of a list that are shown before one asks for more. */
export const pageSize = 100;

export type TreeRow = {
  /** Keys from the root, joined; stable while the state changes. */
  readonly path: string;
  readonly key: string;
  readonly depth: number;
  /** What stands for a secret in its place, so that nothing made of a row can show it. */
  readonly value: unknown;
  readonly text: string;
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** It differs from the state that was shown before. */
  readonly isChanged: boolean;
  /** A row that stands for the rest of a list. */
  readonly more: { readonly path: string; readonly hidden: number } | null;
};

export type TreeOptions = {
  readonly expanded: ReadonlySet<string>;
  /** How many items of a list are shown, by path, where it is more than a page. */
  readonly limits: ReadonlyMap<string, number>;
  readonly previous: unknown;
};

/** The rows of a tree that are visible with what is expanded; nothing below a closed row is looked at. */
export function treeRows(root: unknown, rootKey: string, options: TreeOptions): TreeRow[] {
  const rows: TreeRow[] = [];
  visit(root, options.previous, { key: rootKey, path: rootKey, depth: 0 });
  return rows;

  function visit(
    value: unknown,
    previous: unknown,
    { key, path, depth }: { key: string; path: string; depth: number },
  ): void {
    const isHidden = isSecretAt(key, path) && value !== null;
    const count = isHidden ? 0 : childCount(value);
    const isExpanded = count > 0 && options.expanded.has(path);
    rows.push({
      path,
      key,
      depth,
      value: isHidden ? redacted : value,
      // Made for the rows in view only.
      get text() {
        return isHidden ? redacted : describeNode(key, value);
      },
      isExpandable: count > 0,
      isExpanded,
      isChanged: previous !== undefined && !Object.is(previous, value),
      more: null,
    });
    if (!isExpanded) return;
    const limit = options.limits.get(path) ?? pageSize;
    for (const [childKey, child] of childrenOf(value, limit)) {
      visit(child, childBefore(previous, childKey), {
        key: childKey,
        path: `${path}.${childKey}`,
        depth: depth + 1,
      });
    }
    if (count > limit) rows.push(moreRow(path, depth + 1, count - limit));
  }
}

/** Whether what stands at a place in the tree is shown to nobody. */
export function isSecretAt(key: string, path: string): boolean {
  return isSecretName(key) || /\.(?:headers|env)\./.test(path);
}

function moreRow(path: string, depth: number, hidden: number): TreeRow {
  const text = `Show ${Math.min(hidden, pageSize)} of ${hidden} more`;
  return {
    path: `${path}.…`,
    key: '',
    depth,
    value: null,
    text,
    isExpandable: false,
    isExpanded: false,
    isChanged: false,
    more: { path, hidden },
  };
}
