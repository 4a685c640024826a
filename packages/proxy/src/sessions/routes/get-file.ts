import type { Handler } from 'hono';
import { refuse } from '../../problems/refuse.ts';
import { fileContentType, fileHash, fileTypeHeader } from '../session-file.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionsEnv } from '../sessions-context.ts';

/**
 * `GET /v1/sessions/files/:hash`: the bytes of a file of the caller. Only `X-File-Type` names its type. Opened as an
 * address it is a download, whatever was uploaded, and runs no script in the name of this site.
 */
export function getFile(): Handler<SessionsEnv, '/v1/sessions/files/:hash{[0-9a-f]+}'> {
  return async (context) => {
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
}
