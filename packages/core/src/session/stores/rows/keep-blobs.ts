import { AgentError } from '../../../kit/agent-error.ts';
import type { BlobStore } from '../session-store.ts';
import type { BlobRows } from './row-storage.ts';

/** Creates a file store that names files by the hash of their content and verifies every file it reads. */
export function keepBlobs(rows: BlobRows): BlobStore {
  return {
    async put(data, { mediaType, sessionId }) {
      const bytes = await bytesOf(data);
      const hash = await hashOfBytes(bytes);
      await rows.put(sessionId, { hash, bytes, mediaType }).catch((thrown: unknown) => {
        throw notKept(bytes.byteLength, thrown);
      });
      return { hash, size: bytes.byteLength };
    },
    async get(hash) {
      const found = await rows.get(hash);
      if (found === null || (await hashOfBytes(found.bytes)) !== hash) return null;
      return new Blob([found.bytes], { type: found.mediaType });
    },
  };
}

async function bytesOf(data: Blob | Uint8Array): Promise<ArrayBuffer> {
  // A copy, so that later changes by the application do not reach the store.
  return data instanceof Blob ? data.arrayBuffer() : data.slice().buffer;
}

async function hashOfBytes(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function notKept(size: number, cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `A file of ${size} bytes could not be stored: ${reason} Delete old sessions to make room, or send a smaller one.`;
  return new AgentError('session-storage', message, { data: { size }, cause });
}
