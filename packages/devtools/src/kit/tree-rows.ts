import { isSecretName, redacted } from '@vitrine/core/inspect';
import { describeNode } from './describe-node.ts';
import { childBefore, childCount, childrenOf } from './tree-children.ts';

/** Items of a list that are shown before one asks for more. */
export const pageSize = 100;

/** A row of a tree. There may be many: what is said of one is made when it comes into view. */
export class TreeRow {
  /** Keys from the root, joined; stable while the state changes. */
  readonly path: string;
  readonly key: string;
  readonly depth: number;
  /** What stands for a secret in its place, so that nothing made of a row can show it. */
  readonly value: unknown;
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** It differs from the state that was shown before. */
  readonly isChanged: boolean;
  /** A row that stands for the rest of a list. */
  readonly more: { readonly path: string; readonly hidden: number } | null;
  readonly #above: readonly string[];

  constructor(
    row: Pick<
      TreeRow,
      'path' | 'key' | 'depth' | 'value' | 'isExpandable' | 'isExpanded' | 'isChanged' | 'more'
    >,
    above: readonly string[],
  ) {
    this.path = row.path;
    this.key = row.key;
    this.depth = row.depth;
    this.value = row.value;
    this.isExpandable = row.isExpandable;
    this.isExpanded = row.isExpanded;
    this.isChanged = row.isChanged;
    this.more = row.more;
    this.#above = above;
  }

  /** What leads there from the root; names may have dots in them. */
  get keys(): readonly string[] {
    return this.depth === 0 ? [] : [...this.#above, this.key];
  }

  /** What it is, on one line. */
  get text(): string {
    if (this.more) return `Show ${Math.min(this.more.hidden, pageSize)} of ${this.more.hidden} more`;
    return this.value === redacted ? redacted : describeNode([...this.#above, this.key], this.value);
  }
}

export type TreeOptions = {
  readonly expanded: ReadonlySet<string>;
  /** How many items of a list are shown, by path, where it is more than a page. */
  readonly limits: ReadonlyMap<string, number>;
  readonly previous: unknown;
};

/** The rows of a tree that are visible with what is expanded; nothing below a closed row is looked at. */
export function treeRows(root: unknown, rootKey: string, options: TreeOptions): TreeRow[] {
  const rows: TreeRow[] = [];
  visit(root, options.previous, { key: rootKey, path: rootKey, depth: 0, above: [], isSecret: false });
  return rows;

  function visit(value: unknown, previous: unknown, { key, path, depth, above, isSecret }: Place): void {
    const isHidden = isSecret && value !== null;
    const count = isHidden ? 0 : childCount(value);
    const isExpanded = count > 0 && options.expanded.has(path);
    const isChanged = previous !== undefined && !Object.is(previous, value);
    const shown = isHidden ? redacted : value;
    const row = {
      path,
      key,
      depth,
      value: shown,
      isExpandable: count > 0,
      isExpanded,
      isChanged,
      more: null,
    };
    rows.push(new TreeRow(row, above));
    if (!isExpanded) return;
    const limit = options.limits.get(path) ?? pageSize;
    const keys = depth === 0 ? [] : [...above, key];
    for (const [childKey, child] of childrenOf(value, limit)) {
      visit(child, childBefore(previous, childKey), {
        key: childKey,
        path: `${path}.${childKey}`,
        depth: depth + 1,
        above: keys,
        // Items of a list have no names.
        isSecret: isClosed(keys) || (!Array.isArray(value) && isSecretName(childKey)),
      });
    }
    if (count > limit) rows.push(moreRow(path, depth + 1, count - limit));
  }
}

type Place = {
  readonly key: string;
  readonly path: string;
  readonly depth: number;
  /** The keys of what holds it, from the root. */
  readonly above: readonly string[];
  readonly isSecret: boolean;
};

/** Whether all below a place is shown to nobody. */
function isClosed(keys: readonly string[]): boolean {
  return keys.includes('headers') || keys.includes('env');
}

/** Whether what the keys lead to is shown to nobody. */
export function isSecretAt(keys: readonly string[]): boolean {
  return isSecretName(keys.at(-1) ?? '') || isClosed(keys.slice(0, -1));
}

function moreRow(path: string, depth: number, hidden: number): TreeRow {
  const row = { path: `${path}.…`, key: '', depth, value: null, isExpandable: false, isExpanded: false };
  return new TreeRow({ ...row, isChanged: false, more: { path, hidden } }, []);
}
