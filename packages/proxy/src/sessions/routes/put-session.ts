import type { Handler } from 'hono';
import { refuse } from '../../problems/problem.ts';
import { checkHead } from '../check-head.ts';
import { readSessionBody, sessionBodies } from '../session-body.ts';
import type { SessionsContext, SessionsEnv } from '../sessions-context.ts';
import { conflictWith, storedCondition } from '../stored-condition.ts';

/** `PUT /v1/sessions/:id` with `{ head, put, drop, blobs }`: a whole write on the version in `If-Match`. */
export function putSession({ limits }: SessionsContext): Handler<SessionsEnv, '/v1/sessions/:id'> {
  return async (context) => {
    const rows = context.get('rows');
    const id = context.req.param('id');
    const read = await readSessionBody(context.req.raw, sessionBodies.write, limits);
    if ('problem' in read) return refuse(context, read.problem);
    const { head, put, drop, blobs } = read.body;
    const wrong = checkHead(id, { text: head, records: 0 }, limits);
    if (wrong !== null) return refuse(context, wrong);
    const condition = storedCondition(context.req.raw.headers, id, await rows.head(id));
    if ('problem' in condition) return refuse(context, condition.problem);
    const { expected } = condition;
    const isWritten = await rows.write(id, { expected, head, put, drop, blobs });
    return isWritten ? context.body(null, 204) : refuse(context, conflictWith(id, await rows.head(id)));
  };
}
