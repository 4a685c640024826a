import type { Handler } from 'hono';
import { refuse } from '../../problems/refuse.ts';
import { fileHash, readSessionFile } from '../session-file.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionsContext, SessionsEnv } from '../sessions-context.ts';

/**
 * `PUT /v1/sessions/:id/files/:hash` with the bytes of that SHA-256: keeps a file for a message that the session will
 * hold. `X-File-Type` is its type, percent-encoded.
 */
export function putSessionFile({
  limits,
}: SessionsContext): Handler<SessionsEnv, '/v1/sessions/:id/files/:hash'> {
  return async (context) => {
    const { blobs } = context.get('rows');
    const { id, hash } = context.req.param();
    // The outbox of a session holds no files.
    if (id.startsWith('-')) return refuse(context, sessionProblems.invalidId);
    if (blobs === undefined) return refuse(context, sessionProblems.noFiles);
    if (!fileHash.test(hash)) return refuse(context, sessionProblems.invalidHash);
    const read = await readSessionFile(context.req.raw, hash, limits);
    if ('problem' in read) return refuse(context, read.problem);
    await blobs.put(id, { hash, ...read.file });
    return context.body(null, 204);
  };
}
