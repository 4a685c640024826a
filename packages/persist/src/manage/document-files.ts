import type { FilePart } from '@vitrine/core/internal/graph/message';
import { fromBase64, toBase64 } from '@vitrine/core/internal/kit/hash';
import * as errors from '@vitrine/core/internal/kit/errors';
import { blobsIn } from '@vitrine/core/internal/session/store/attachments';
import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';

/** The stored files of an exported session, by hash, as base64. */
export type DocumentFiles = Readonly<Record<string, { readonly mediaType: string; readonly data: string }>>;

/** The part of a store that says where files of messages are. */
export type FilePlace = Pick<SessionStore, 'blobs' | 'inlineBytes'>;

/** A document with the files that it references. Missing files stay missing. */
export async function withFiles<Document extends object>(
  document: Document,
  { blobs }: SessionStore,
): Promise<Document & { readonly files?: DocumentFiles }> {
  const files: Record<string, DocumentFiles[string]> = {};
  for (const hash of blobs === undefined ? [] : blobsIn(document)) {
    const blob = await blobs?.get(hash);
    if (blob) files[hash] = { mediaType: blob.type, data: await toBase64(blob) };
  }
  return Object.keys(files).length === 0 ? document : { ...document, files };
}

/**
 * Stores the files of a session that is about to be saved.
 * @throws AgentError `state-invalid` for bytes that do not match their hash, and the errors of the store.
 */
export async function putFiles(
  files: DocumentFiles,
  { blobs }: SessionStore,
  sessionId: string,
): Promise<void> {
  if (blobs === undefined) return;
  for (const [hash, { mediaType, data }] of Object.entries(files)) {
    const bytes = fromBase64(data);
    const stored = bytes && (await blobs.put(new Blob([bytes]), { mediaType, sessionId }));
    if (stored?.hash !== hash)
      throw errors.stateInvalid({ path: `files.${hash}`, what: 'its bytes are not what its name says' });
  }
}

/**
 * Moves files inline into the messages of a document where the store keeps no files. It changes the document.
 * @throws AgentError `attachment-too-large` for a file beyond `inlineBytes`.
 */
export function inlineFiles(document: object, files: DocumentFiles, { blobs, inlineBytes }: FilePlace): void {
  if (blobs !== undefined) return;
  const waiting: unknown[] = [document];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const part = next as { -readonly [Key in keyof FilePart]?: FilePart[Key] };
    const { type, blob, filename = null } = part;
    const file = type === 'file' && typeof blob?.hash === 'string' ? files[blob.hash] : undefined;
    if (file !== undefined) {
      const size = Math.floor((file.data.length / 4) * 3);
      if (size > (inlineBytes ?? Infinity))
        throw errors.attachmentTooLarge({ filename, size, limit: inlineBytes ?? Infinity });
      part.data = file.data;
      delete part.blob;
    }
    for (const inner of Object.values(next)) waiting.push(inner);
  }
}
