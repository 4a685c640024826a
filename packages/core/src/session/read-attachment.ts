import type { FilePart } from '../graph/message.ts';
import type { SessionStore } from './store/session-store.ts';

/** Resolves with the bytes of a file part, from the store or the part itself; null when neither has them. */
export async function readAttachment(
  part: FilePart,
  sessions: SessionStore | null | undefined,
): Promise<Blob | null> {
  return (await import('./controller/session-engine.ts')).attachmentBytes(part, sessions);
}
