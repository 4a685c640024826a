import { isSecretName, redacted, redactText } from '@vitrine/core/inspect';
import { describeNode } from './describe-node.ts';
import { childBefore, childrenIn } from './tree-children.ts';

/** Items of a list that are shown before one asks for more. */
export const pageSize = 100;

type Looks = {
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** It differs from the state that was shown before. */
  readonly isChanged: boolean;
  /** A row that stands for the rest of a list. */
  readonly more: { readonly path: string; readonly hidden: number } | null;
};

/** Of most rows. */
const plain: Looks = { isExpandable: false, isExpanded: false, isChanged: false, more: null };

/** The id of the element of a row, without secrets that stand in names. */
export function rowId(path: string): string {
  return `row-${redactText(path, 'path')}`;
}

/**
 * A row of a tree. There may be a hundred thousand: a row holds the one that it stands below, and what is said of it is
 * made when it comes into view.
 */
export class TreeRow {
  /** How many rows it stands below. */
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

  /** Keys from the root, joined; stable while the state changes. */
  get path(): string {
    this.#path ??= this.#holder === null ? this.#key : `${this.#holder.path}.${this.#key}`;
    return this.#path;
  }

  /** The name under which it stands, as it may be shown; none for the rest of a list. */
  get key(): string {
    return this.looks.more === null ? redactText(this.#key, 'key') : '';
  }

  /** What leads there from the root; names may have dots in them. */
  get keys(): readonly string[] {
    return this.#holder === null ? [] : [...this.#holder.keys, this.#key];
  }

  /** What stands for a secret in its place, so that nothing made of a row can show it. */
  get value(): unknown {
    return this.#value !== null && this.isSecret ? redacted : this.#value;
  }

  /** Whether it is shown to nobody, for its name or for that of what holds it. An item of a list has no name. */
  get isSecret(): boolean {
    if (this.#holder === null) return false;
    return isClosed(this.#holder.keys) || (!Array.isArray(this.#holder.#value) && isSecretName(this.#key));
  }

  /** What it is, on one line. */
  get text(): string {
    const { more } = this.looks;
    if (more) return `Show ${Math.min(more.hidden, pageSize)} of ${more.hidden} more`;
    const { value } = this;
    return value === redacted ? redacted : describeNode([...(this.#holder?.keys ?? []), this.#key], value);
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

/** Whether all below a place is shown to nobody. */
function isClosed(keys: readonly string[]): boolean {
  return keys.includes('headers') || keys.includes('env');
}

/** Whether what the keys lead to is shown to nobody. */
export function isSecretAt(keys: readonly string[]): boolean {
  return isSecretName(keys.at(-1) ?? '') || isClosed(keys.slice(0, -1));
}
