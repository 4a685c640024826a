import { isSecretName, redactText } from '@vitrine/inspect/internal/redact';
import { redacted } from '@vitrine/inspect';
import type { Texts } from '../texts.ts';
import { describeNode } from './describe-node.ts';
import { childBefore, childrenIn, childrenOf } from './tree-children.ts';

/** Number of list items that are shown before the person asks for more. */
export const pageSize = 100;

type Looks = {
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** True if the value differs from the previously shown state. */
  readonly isChanged: boolean;
  /** Set for the row that stands for the rest of a list. */
  readonly more: { readonly path: string; readonly hidden: number } | null;
};

/** Shared by most rows. */
const plain: Looks = { isExpandable: false, isExpanded: false, isChanged: false, more: null };

/** The element id of a row, with secrets in names redacted. */
export function rowId(path: string): string {
  return `row-${redactText(path, 'path')}`;
}

/**
 * A row of a tree. There may be a hundred thousand, so a row refers to its parent and computes its text
 * only when it comes into view.
 */
export class TreeRow {
  /** Number of parent rows. */
  readonly depth: number;
  readonly looks: Looks;
  readonly #holder: TreeRow | null;
  readonly #key: string;
  readonly #value: unknown;
  #path: string | null = null;

  constructor(holder: TreeRow | null, key: string, value: unknown, looks: Looks) {
    this.depth = holder === null ? 0 : holder.depth + 1;
    this.looks = looks;
    this.#holder = holder;
    this.#key = key;
    this.#value = value;
  }

  /** The keys from the root, joined by dots; stable while the state changes. */
  get path(): string {
    this.#path ??= this.#holder === null ? this.#key : `${this.#holder.path}.${this.#key}`;
    return this.#path;
  }

  /** The key with secrets redacted; empty for the rest of a list. */
  get key(): string {
    return this.looks.more === null ? redactText(this.#key, 'key') : '';
  }

  /** The keys from the root; a key may contain dots. */
  get keys(): readonly string[] {
    return this.#holder === null ? [] : [...this.#holder.keys, this.#key];
  }

  /** The value, or a placeholder for a secret, so that nothing derived from a row can leak it. */
  get value(): unknown {
    return this.#value !== null && this.isSecret ? redacted : this.#value;
  }

  /** Tells whether the value is secret by its own name or that of a parent. A list item has no name. */
  get isSecret(): boolean {
    if (this.#holder === null) return false;
    return isClosed(this.#holder.keys) || (!Array.isArray(this.#holder.#value) && isSecretName(this.#key));
  }

  /** The description of the value on one line. */
  textIn(texts: Texts): string {
    const { more } = this.looks;
    if (more) return texts.values.showMore(Math.min(more.hidden, pageSize), more.hidden);
    const { value } = this;
    return value === redacted
      ? redacted
      : describeNode([...(this.#holder?.keys ?? []), this.#key], value, texts);
  }
}

type TreeOptions = {
  readonly expanded: ReadonlySet<string>;
  /** Number of shown items of a list by its path, where it exceeds one page. */
  readonly limits: ReadonlyMap<string, number>;
  readonly previous: unknown;
};

/** The visible rows of a tree for the expanded paths. Values below a collapsed row are not read. */
export function treeRows(root: unknown, rootKey: string, options: TreeOptions): TreeRow[] {
  const rows: TreeRow[] = [];
  visit(null, rootKey, root, options.previous);
  return rows;

  function visit(holder: TreeRow | null, key: string, value: unknown, previous: unknown): void {
    const isChanged = previous !== undefined && !Object.is(previous, value);
    const { count, first } = childrenIn(value);
    const closed = new TreeRow(holder, key, value, isChanged ? { ...plain, isChanged } : plain);
    if (count === 0 || closed.isSecret) return void rows.push(closed);
    const isExpanded = options.expanded.has(closed.path);
    const row = new TreeRow(holder, key, value, { isExpandable: true, isExpanded, isChanged, more: null });
    rows.push(row);
    if (!isExpanded) return;
    const limit = options.limits.get(row.path) ?? pageSize;
    for (const [childKey, child] of first(limit))
      visit(row, childKey, child, previous === value ? child : childBefore(previous, childKey));
    if (count > limit) {
      const more = { path: row.path, hidden: count - limit };
      rows.push(new TreeRow(row, '…', null, { ...plain, more }));
    }
  }
}

/** Tells whether everything below the keys is secret. */
function isClosed(keys: readonly string[]): boolean {
  return keys.includes('headers') || keys.includes('env');
}

/** Tells whether the value at the keys is secret. */
export function isSecretAt(keys: readonly string[]): boolean {
  return isSecretName(keys.at(-1) ?? '') || isClosed(keys.slice(0, -1));
}

/** The options of a tree that make one place in it visible. */
export type Revealed = Pick<TreeOptions, 'limits'> & {
  readonly path: string;
  /** The paths of all parents of the place. */
  readonly expanded: readonly string[];
};

/** Calculates the options that make a place visible: its parents are expanded, and lists are long enough. */
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
