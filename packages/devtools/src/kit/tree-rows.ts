import { describeNode } from './describe-node.ts';
import { isSecretKey, redacted } from './redact.ts';

/** Items of a list that are shown before one asks for more. */
export const pageSize = 100;

export type TreeRow = {
  /** Keys from the root, joined; stable while the state changes. */
  readonly path: string;
  readonly key: string;
  readonly depth: number;
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
    const isSecret = isSecretKey(key);
    const entries = isSecret ? [] : childrenOf(value);
    const isExpanded = entries.length > 0 && options.expanded.has(path);
    rows.push({
      path,
      key,
      depth,
      value,
      text: isSecret && value !== null ? redacted : describeNode(key, value),
      isExpandable: entries.length > 0,
      isExpanded,
      isChanged: previous !== undefined && !Object.is(previous, value),
      more: null,
    });
    if (!isExpanded) return;
    const limit = options.limits.get(path) ?? pageSize;
    for (const [childKey, child] of entries.slice(0, limit)) {
      visit(child, childOf(previous, childKey), {
        key: childKey,
        path: `${path}.${childKey}`,
        depth: depth + 1,
      });
    }
    if (entries.length > limit) rows.push(moreRow(path, depth + 1, entries.length - limit));
  }
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

function childrenOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Stands for what was not there before; it differs from everything. */
const absent = Symbol('absent');

function childOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : absent;
}

export type SearchHit = { readonly path: string; readonly text: string };

/** Where a text occurs in a path or a value, up to a limit. */
export function searchTree(root: unknown, rootKey: string, query: string, limit = 300): SearchHit[] {
  const wanted = query.toLowerCase();
  const hits: SearchHit[] = [];
  // Steps share their messages: what was looked at once is not looked at again.
  const seen = new Set<unknown>();
  visit(root, rootKey, rootKey);
  return hits;

  function visit(value: unknown, key: string, path: string): void {
    if (hits.length >= limit || seen.has(value)) return;
    if (typeof value === 'object' && value !== null) seen.add(value);
    const isSecret = isSecretKey(key);
    const isLeaf = typeof value !== 'object' || value === null;
    const haystack = `${path} ${isLeaf && !isSecret ? String(value) : ''}`.toLowerCase();
    if (haystack.includes(wanted) && (isLeaf || key.toLowerCase().includes(wanted))) {
      hits.push({ path, text: isSecret ? redacted : describeNode(key, value) });
    }
    if (!isSecret)
      for (const [childKey, child] of childrenOf(value)) visit(child, childKey, `${path}.${childKey}`);
  }
}
