import { isSecretName, redacted, redactText } from '@vitrine/core/inspect';
import { describeNode } from './describe-node.ts';
import { childBefore, childCount, childrenOf } from './tree-children.ts';

/** Items of a list that are shown before one asks for more. */
export const pageSize = 100;

/** Where a value stands in a tree. */
type Place = {
  readonly key: string;
  /** Keys from the root, joined; stable while the state changes. */
  readonly path: string;
  readonly depth: number;
  /** The keys of what holds it, from the root. */
  readonly above: readonly string[];
  /** It has a name of its own, which may be that of a secret; an item of a list has none. */
  readonly isNamed: boolean;
};

type Looks = Pick<TreeRow, 'isExpandable' | 'isExpanded' | 'isChanged' | 'more'>;

/** The id of the element of a row, without secrets that stand in names. */
export function rowId(path: string): string {
  return `row-${redactText(path, 'path')}`;
}

/** A row of a tree. There may be many: what is said of one is made when it comes into view. */
export class TreeRow {
  readonly isExpandable: boolean;
  readonly isExpanded: boolean;
  /** It differs from the state that was shown before. */
  readonly isChanged: boolean;
  /** A row that stands for the rest of a list. */
  readonly more: { readonly path: string; readonly hidden: number } | null;
  readonly #place: Place;
  readonly #value: unknown;

  constructor(place: Place, value: unknown, { isExpandable, isExpanded, isChanged, more }: Looks) {
    this.#place = place;
    this.#value = value;
    this.isExpandable = isExpandable;
    this.isExpanded = isExpanded;
    this.isChanged = isChanged;
    this.more = more;
  }

  get path(): string {
    return this.#place.path;
  }

  /** The name under which it stands, as it may be shown. */
  get key(): string {
    return redactText(this.#place.key, 'key');
  }

  get depth(): number {
    return this.#place.depth;
  }

  /** What leads there from the root; names may have dots in them. */
  get keys(): readonly string[] {
    return this.depth === 0 ? [] : [...this.#place.above, this.#place.key];
  }

  /** What stands for a secret in its place, so that nothing made of a row can show it. */
  get value(): unknown {
    return this.#value !== null && isSecret(this.#place) ? redacted : this.#value;
  }

  /** What it is, on one line. */
  get text(): string {
    if (this.more) return `Show ${Math.min(this.more.hidden, pageSize)} of ${this.more.hidden} more`;
    const { value } = this;
    return value === redacted ? redacted : describeNode([...this.#place.above, this.#place.key], value);
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
  visit(root, options.previous, { key: rootKey, path: rootKey, depth: 0, above: [], isNamed: false });
  return rows;

  function visit(value: unknown, previous: unknown, place: Place): void {
    const { key, path, depth, above } = place;
    const count = childCount(value);
    const isExpandable = count > 0 && !isSecret(place);
    const isExpanded = isExpandable && options.expanded.has(path);
    const isChanged = previous !== undefined && !Object.is(previous, value);
    rows.push(new TreeRow(place, value, { isExpandable, isExpanded, isChanged, more: null }));
    if (!isExpanded) return;
    const limit = options.limits.get(path) ?? pageSize;
    const keys = depth === 0 ? [] : [...above, key];
    const isNamed = !Array.isArray(value);
    for (const [childKey, child] of childrenOf(value, limit)) {
      const before = previous === value ? child : childBefore(previous, childKey);
      const childPath = `${path}.${childKey}`;
      visit(child, before, { key: childKey, path: childPath, depth: depth + 1, above: keys, isNamed });
    }
    if (count > limit) rows.push(moreRow(path, depth + 1, count - limit));
  }
}

function isSecret({ key, above, isNamed }: Place): boolean {
  return isClosed(above) || (isNamed && isSecretName(key));
}

/** Whether all below a place is shown to nobody. */
function isClosed(keys: readonly string[]): boolean {
  return keys.includes('headers') || keys.includes('env');
}

/** Whether what the keys lead to is shown to nobody. */
export function isSecretAt(keys: readonly string[]): boolean {
  return isSecretName(keys.at(-1) ?? '') || isClosed(keys.slice(0, -1));
}

function moreRow(path: string, depth: number, hidden: number): TreeRow {
  const place = { key: '', path: `${path}.…`, depth, above: [], isNamed: false };
  const looks = { isExpandable: false, isExpanded: false, isChanged: false };
  return new TreeRow(place, null, { ...looks, more: { path, hidden } });
}
