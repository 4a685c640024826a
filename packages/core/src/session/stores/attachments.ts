import type { FilePart } from '../../graph/message-part.ts';
import * as errors from '../../kit/errors.ts';
import { fromBase64, toBase64 } from '../../kit/base64.ts';
import { blobsIn } from './blobs-in.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

/**
 * A file that a person attaches, as a part that a message may hold: in the store where it keeps files, else as base64.
 * Parts with an address, or of a stored file, stay as they are.
 * @throws AgentError `attachment-too-large` where it has to stand in the message and the store has no room for that,
 * `session-storage` where it cannot be stored.
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
  // Only pages of https and of this machine can name files by what is in them.
  if (sessions?.blobs !== undefined && globalThis.crypto?.subtle !== undefined) {
    const { data: _data, ...rest } = part;
    return { ...rest, blob: await sessions.blobs.put(blob, { mediaType, sessionId }) };
  }
  const limit = sessions?.inlineBytes ?? Infinity;
  if (blob.size > limit) throw errors.attachmentTooLarge({ filename, size: blob.size, limit });
  return file instanceof Blob ? { ...part, data: await toBase64(file) } : part;
}

/** The bytes of a file of a message: from the store, or from the part itself. Null when they are in neither. */
export async function attachmentBytes(
  part: FilePart,
  sessions: SessionStore | null | undefined,
): Promise<Blob | null> {
  const inline = inlineBlob(part);
  if (inline !== null || part.blob === undefined) return inline;
  const found = (await sessions?.blobs?.get(part.blob.hash)) ?? null;
  // What the message says of it counts: the same bytes may have been put under another type.
  return found === null ? null : new Blob([found], { type: part.mediaType });
}

/** The hashes of all stored files that a session speaks of, in messages, branches, checkpoints, events and queue. */
export function blobsOf(record: SessionRecord): readonly string[] {
  return [...blobsIn(record)];
}

/** Puts the files of a session that is about to be saved in one store from another; what is missing stays missing. */
export async function copyBlobs(
  record: SessionRecord,
  from: SessionStore | undefined,
  to: SessionStore,
): Promise<void> {
  if (from === to || from?.blobs === undefined || to.blobs === undefined) return;
  for (const hash of blobsOf(record)) {
    const blob = await from.blobs.get(hash);
    if (blob !== null) await to.blobs.put(blob, { mediaType: blob.type, sessionId: record.id });
  }
}

/** The bytes that stand in the part itself. */
function inlineBlob({ data, mediaType }: FilePart): Blob | null {
  const bytes = data === undefined ? null : fromBase64(data);
  return bytes === null ? null : new Blob([bytes], { type: mediaType });
}

function partOf(file: Blob): FilePart {
  const name = 'name' in file && typeof file.name === 'string' && file.name !== '' ? file.name : null;
  return { type: 'file', mediaType: file.type || 'application/octet-stream', filename: name };
}
