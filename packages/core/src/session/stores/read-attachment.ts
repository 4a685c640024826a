import type { FilePart } from '../../graph/message-part.ts';
import type { SessionStore } from './session-store.ts';

/**
 * The bytes of a file of a message: from the store, or from the part itself. Null when they are in neither. What does
 * the work is loaded with the first call.
 */
export async function readAttachment(
  part: FilePart,
  sessions: SessionStore | null | undefined,
): Promise<Blob | null> {
  return (await import('./attachments.ts')).attachmentBytes(part, sessions);
}
