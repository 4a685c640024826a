import type { Handler } from 'hono';
import { refuse } from '../../problems/problem.ts';
import { checkHead } from '../check-head.ts';
import { readSessionBody, sessionBodies } from '../session-body.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionsContext, SessionsEnv } from '../sessions-context.ts';
import { conflictWith, storedCondition } from '../stored-condition.ts';

/**
 * `POST /v1/sessions/:id/records` with `{ record, head, isStrict, put, drop, blobs }`: a small write on the version in
 * `If-Match`.
 */
export function postSessionRecords({
  limits,
}: SessionsContext): Handler<SessionsEnv, '/v1/sessions/:id/records'> {
  return async (context) => {
    const rows = context.get('rows');
    const id = context.req.param('id');
    const read = await readSessionBody(context.req.raw, sessionBodies.append, limits);
    if ('problem' in read) return refuse(context, read.problem);
    const { record, head } = read.body;
    const condition = storedCondition(context.req.raw.headers, id, await rows.head(id));
    if ('problem' in condition) return refuse(context, condition.problem);
    const { expected } = condition;
    if (expected === null) return refuse(context, sessionProblems.unknown);
    const records = expected.records + (record === null ? 0 : 1);
    const wrong = head === null ? null : checkHead(id, { text: head, records }, limits);
    if (wrong !== null) return refuse(context, wrong);
    const isWritten = await rows.append(id, { expected, ...read.body });
    return isWritten ? context.body(null, 204) : refuse(context, conflictWith(id, await rows.head(id)));
  };
}
