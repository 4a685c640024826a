import type { FilePart } from '../../graph/message.ts';

/**
 * Collects the hashes of all stored files in a value: a session, a state, events or messages.
 * Any object that looks like a file part counts; shared objects are visited once.
 */
export function blobsIn(value: unknown): ReadonlySet<string> {
  const hashes = new Set<string>();
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  // An explicit list instead of recursion, because foreign values may be nested deeper than the stack.
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
