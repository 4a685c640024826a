import { type FilePart, readAttachment, type SessionStore } from '@vitrine/core';

type AttachmentUrl = {
  readonly url: string;
  /** Releases the bytes behind the URL. */
  readonly revoke: () => void;
};

/** Media types that run no script when somebody opens their URL in a new tab. */
const harmless = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * Creates a URL for a file of a message, or for a file that is not sent yet.
 *
 * Returns null when neither the part nor the store has the bytes, and for URLs that are not http(s). Types
 * that could run script in the page's origin (HTML, SVG) become `application/octet-stream`: a person can
 * download them but not open them.
 */
export async function attachmentUrl(
  sessions: SessionStore | null,
  file: FilePart | Blob,
): Promise<AttachmentUrl | null> {
  const blob = file instanceof Blob ? file : await readAttachment(file, sessions);
  if (blob === null) return 'url' in file ? ofTheWeb(file.url) : null;
  const type = harmless.test(blob.type) ? blob.type : 'application/octet-stream';
  const url = URL.createObjectURL(type === blob.type ? blob : blob.slice(0, blob.size, type));
  return { url, revoke: () => URL.revokeObjectURL(url) };
}

function ofTheWeb(url = ''): AttachmentUrl | null {
  return /^https?:/i.test(url) ? { url, revoke: () => undefined } : null;
}
