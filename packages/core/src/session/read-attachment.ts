import type { FilePart } from '../graph/message-part.ts';
import { loadEngine } from './engine.ts';
import type { SessionStore } from './stores/session-store.ts';

/**
 * The bytes of a file of a message: from the store, or from the part itself. Null when they are in neither. What does
 * the work is loaded with the first call.
 */
export async function readAttachment(
  part: FilePart,
  sessions: SessionStore | null | undefined,
): Promise<Blob | null> {
  return (await loadEngine()).attachmentBytes(part, sessions);
}
