import { blobsIn } from '../blobs-in.ts';
import type { Row } from './row.ts';

/** Kinds whose texts may speak of stored files. */
const speaking: readonly string[] = ['msg.', 'evt.'];

/**
 * The stored files that a row speaks of, as rows that it names: so they are counted like all others. They have no text
 * and are not written: a storage is told which of them a session holds.
 */
export function blobRows(name: string, text: string, body: unknown): readonly Row[] {
  // Looking for the beginning of a reference costs next to nothing; most rows hold none.
  if (!speaking.includes(name.slice(0, 4)) || !text.includes('"blob":{"')) return [];
  return [...blobsIn(body)].map((hash) => ({ name: `blb.${hash}`, refs: [], text: null }));
}

/** The hash of a stored file that a name stands for; null for the name of a row. */
export function blobOf(name: string): string | null {
  return name.startsWith('blb.') ? name.slice(4) : null;
}
