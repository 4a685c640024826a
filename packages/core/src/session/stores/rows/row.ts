import { contentHash } from '../../../kit/content-hash.ts';

/** What a row holds: a message, a text, plugin state, events, an execution; or it ties others together. */
export type RowKind =
  'msg' | 'txt' | 'plg' | 'evt' | 'run' | 'pag' | 'ste' | 'sta' | 'ret' | 'cpt' | 'ref' | 'ses';

/** An immutable piece of a stored session, named by its kind and what it says. */
export type Row = {
  readonly name: string;
  /** The rows that it names. */
  readonly refs: readonly Row[];
  /** Null once it has been written: what is stored need not be kept. */
  text: string | null;
};

/** Kinds that name no others: their text is their body. */
const leaves: readonly string[] = ['msg', 'txt', 'plg', 'evt', 'run'] satisfies RowKind[];

export function isLeaf(name: string): boolean {
  return leaves.includes(name.slice(0, 3));
}

/** A row that names no others. */
export function leaf(kind: RowKind, body: unknown): Row {
  return named(kind, JSON.stringify(body), []);
}

/** A row that names others, in groups. */
export function node(kind: RowKind, groups: readonly (readonly Row[])[], body: unknown = 0): Row {
  const refs = groups.flat();
  const names = groups.map((group) => group.map(({ name }) => name));
  return named(kind, JSON.stringify([names, body]), refs);
}

/** The hash in a row's name. */
export function hashOf(name: string): string {
  return name.slice(4);
}

function named(kind: RowKind, text: string, refs: readonly Row[]): Row {
  return { name: `${kind}.${contentHash(text)}`, refs, text };
}
