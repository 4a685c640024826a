import { nothing } from '../../../kit/nothing.ts';
import { contentHash, contentHashLength, hasContentHash } from '../../../kit/content-hash.ts';
import { blobsIn } from '../blobs-in.ts';

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

/** A row that names no others but files. */
export function leaf(kind: RowKind, body: unknown): Row {
  const text = JSON.stringify(body);
  const name = `${kind}.${contentHash(text)}`;
  return { name, refs: blobRows(name, text, body), text };
}

/** A row that names others, in groups. */
export function node(kind: RowKind, groups: readonly (readonly Row[])[], body: unknown = 0): Row {
  const refs = groups.flat();
  const names = groups.map((group) => group.map(({ name }) => name));
  const text = JSON.stringify([names, body]);
  return { name: `${kind}.${contentHash(text)}`, refs, text };
}

/** Whether a text is the one that a row was named after. */
export function isTextOf(name: string, text: string): boolean {
  return name.length === 4 + contentHashLength && hasContentHash(text, name, 4);
}

/** Kinds whose texts may speak of stored files. */
const speaking: readonly string[] = ['msg.', 'evt.'];

/**
 * The stored files that a row speaks of, as rows that it names: so they are counted like all others. They have no text
 * and are not written: a storage is told which of them a session holds.
 */
export function blobRows(name: string, text: string, body: unknown): readonly Row[] {
  // Most rows hold none, and a letter is found faster than one of the many quotes.
  if (!speaking.includes(name.slice(0, 4)) || !text.includes('blob":{"')) return nothing;
  return [...blobsIn(body)].map((hash) => ({ name: `blb.${hash}`, refs: [], text: null }));
}

/** The hash of a stored file that a name stands for; null for the name of a row. */
export function blobOf(name: string): string | null {
  return name.startsWith('blb.') ? name.slice(4) : null;
}
