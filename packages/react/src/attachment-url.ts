import { type FilePart, readAttachment, type SessionStore } from '@vitrine/core';

/** Where a file can be shown from, until it is revoked. */
export type AttachmentUrl = {
  readonly url: string;
  /** Lets go of the bytes that it stands for. */
  readonly revoke: () => void;
};

/** Types that run no script when somebody opens their address in a tab of its own. */
const harmless = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * An address for a file of a message, or for one that is not sent yet; null when its bytes are in neither part nor store,
 * and for addresses that are not of the web. What could run script in the page's name (HTML, SVG) becomes
 * `application/octet-stream`: it can be downloaded and not be opened.
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
