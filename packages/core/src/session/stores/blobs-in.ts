import type { FilePart } from '../../graph/message-part.ts';

/**
 * The hashes of all stored files that a value speaks of: a session, a state, events, messages. Whatever looks like a file
 * part counts; what is shared is walked once.
 */
export function blobsIn(value: unknown): ReadonlySet<string> {
  const hashes = new Set<string>();
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  // By a list of its own: values from outside may be nested deeper than the stack.
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const { type, blob } = next as Partial<FilePart>;
    if (type === 'file' && typeof blob?.hash === 'string') hashes.add(blob.hash);
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return hashes;
}
