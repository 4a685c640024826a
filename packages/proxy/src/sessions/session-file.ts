import { readChunks } from '../guard/read-chunks.ts';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionLimits } from './session-routes-options.ts';

/** The header with the type of a file, percent-encoded; the body itself is sent and served as opaque bytes. */
export const fileTypeHeader = 'x-file-type';

/** The content type of all files on the wire. */
export const fileContentType = 'application/octet-stream';

/** The name of a file: the SHA-256 of its bytes in hexadecimal digits. */
export const fileHash = /^[0-9a-f]{64}$/;

/** A file as it was sent. */
export type SentFile = { readonly bytes: ArrayBuffer; readonly mediaType: string };

/** Reads a file and checks its hash. Cheap checks come before expensive ones. */
export async function readSessionFile(
  request: Request,
  hash: string,
  { fileBytes, bodyMs }: SessionLimits,
): Promise<{ readonly file: SentFile } | { readonly problem: Problem }> {
  const { headers } = request;
  if (headers.get('content-type') !== fileContentType) return { problem: sessionProblems.notFileType };
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') return { problem: problems.encoded };
  const mediaType = mediaTypeOf(headers);
  if (mediaType === null) return { problem: sessionProblems.invalidFileType };
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const read = await readChunks(request, { maxBytes: fileBytes, maxMs: bodyMs }, (chunk) => {
    chunks.push(chunk);
  });
  if ('refused' in read) return { problem: refusal(read.refused, fileBytes) };
  const bytes = await new Blob(chunks).arrayBuffer();
  if ((await sha256(bytes)) !== hash) return { problem: sessionProblems.otherFile };
  return { file: { bytes, mediaType } };
}

/** The type of a file; null when it is not percent-encoded text, or too long. */
function mediaTypeOf(headers: Headers): string | null {
  try {
    const type = decodeURIComponent(headers.get(fileTypeHeader) ?? '');
    // Databases accept no NUL.
    return type.length > 255 || type.includes('\0') ? null : type;
  } catch {
    return null;
  }
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function refusal(refused: 'too-large' | 'too-slow' | 'unreadable', fileBytes: number): Problem {
  if (refused === 'too-large') return sessionProblems.fileTooLarge(fileBytes);
  return refused === 'too-slow' ? problems.tooSlow : sessionProblems.otherFile;
}
