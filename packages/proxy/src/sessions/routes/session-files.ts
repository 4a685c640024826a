import type { Handler } from 'hono';
import { refuse } from '../../guard/problems.ts';
import { fileContentType, fileHash, fileTypeHeader, readSessionFile } from '../session-body.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionLimits, SessionsEnv } from '../session-routes-options.ts';

/**
 * `GET /v1/sessions/files/:hash`: the bytes of a file of the caller. Only `X-File-Type` names its type. Opened as an
 * address it is a download, whatever was uploaded, and runs no script in the name of this site.
 */
export const getFile: Handler<SessionsEnv, '/v1/sessions/files/:hash{[0-9a-f]+}'> = async (context) => {
  const { blobs } = context.get('rows');
  const hash = context.req.param('hash');
  if (!fileHash.test(hash)) return refuse(context, sessionProblems.invalidHash);
  const found = (await blobs?.get(hash)) ?? null;
  if (found === null) return refuse(context, sessionProblems.unknownFile);
  return context.body(found.bytes, 200, {
    'content-type': fileContentType,
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    [fileTypeHeader]: encodeURIComponent(found.mediaType),
  });
};

/** `PUT /v1/sessions/:id/files/:hash`: keeps a file for a coming message. `X-File-Type` is percent-encoded. */
export function putSessionFile(limits: SessionLimits): Handler<SessionsEnv, '/v1/sessions/:id/files/:hash'> {
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
