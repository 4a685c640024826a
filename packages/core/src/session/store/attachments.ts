import * as errors from '../../kit/errors.ts';
import type { FilePart } from '../../graph/message.ts';
import { fromBase64, toBase64 } from '../../kit/hash.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

/**
 * Returns the part for an attached file: stored in the store when it keeps files, inline as base64 otherwise.
 * Parts with an address, or of a stored file, stay unchanged.
 * @throws AgentError `attachment-too-large` when an inline file exceeds `inlineBytes` of the store.
 * @throws AgentError `session-storage` when the file cannot be stored.
 */
export async function keepAttachment(
  file: FilePart | Blob,
  sessions: SessionStore | undefined,
  sessionId: string,
): Promise<FilePart> {
  const blob = file instanceof Blob ? file : inlineBlob(file);
  if (blob === null) return file as FilePart;
  const part = file instanceof Blob ? partOf(file) : file;
  const { mediaType, filename } = part;
  // Web Crypto, which makes the content hash, exists only on https pages and on localhost.
  if (sessions?.blobs !== undefined && globalThis.crypto?.subtle !== undefined) {
    const { data: _data, ...rest } = part;
    return { ...rest, blob: await sessions.blobs.put(blob, { mediaType, sessionId }) };
  }
  const limit = sessions?.inlineBytes ?? Infinity;
  if (blob.size > limit) throw errors.attachmentTooLarge({ filename, size: blob.size, limit });
  return file instanceof Blob ? { ...part, data: await toBase64(file) } : part;
}

/** Resolves with the bytes of a file part, from the store or the part itself; null when neither has them. */
export async function attachmentBytes(
  part: FilePart,
  sessions: SessionStore | null | undefined,
): Promise<Blob | null> {
  const inline = inlineBlob(part);
  if (inline !== null || part.blob === undefined) return inline;
  const found = (await sessions?.blobs?.get(part.blob.hash)) ?? null;
  // The media type of the part wins, because the same bytes may have been stored under another type.
  return found === null ? null : new Blob([found], { type: part.mediaType });
}

/** Copies the files of a session from one store to another before it is saved there. Missing files stay missing. */
export async function copyBlobs(
  record: SessionRecord,
  from: SessionStore | undefined,
  to: SessionStore,
): Promise<void> {
  if (from === to || from?.blobs === undefined || to.blobs === undefined) return;
  for (const hash of blobsIn(record)) {
    const blob = await from.blobs.get(hash);
    if (blob !== null) await to.blobs.put(blob, { mediaType: blob.type, sessionId: record.id });
  }
}

function inlineBlob({ data, mediaType }: FilePart): Blob | null {
  const bytes = data === undefined ? null : fromBase64(data);
  return bytes === null ? null : new Blob([bytes], { type: mediaType });
}

function partOf(file: Blob): FilePart {
  const name = 'name' in file && typeof file.name === 'string' && file.name !== '' ? file.name : null;
  return { type: 'file', mediaType: file.type || 'application/octet-stream', filename: name };
}

/** The hashes of all stored files in a value, by any object in it that looks like a file part. */
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
