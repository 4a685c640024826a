import type { Handler } from 'hono';
import { refuse } from '../../problems/problem.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionsEnv } from '../sessions-context.ts';
import { conflictWith, storedCondition } from '../stored-condition.ts';

/** `DELETE /v1/sessions/:id`: erases a session; with `If-Match` only that version. */
export function deleteSession(): Handler<SessionsEnv, '/v1/sessions/:id'> {
  return async (context) => {
    const rows = context.get('rows');
    const id = context.req.param('id');
    const { headers } = context.req.raw;
    const stored = await rows.head(id);
    if (stored === null) return refuse(context, sessionProblems.unknown);
    const condition = headers.has('if-match') ? storedCondition(headers, id, stored) : { expected: null };
    if ('problem' in condition) return refuse(context, condition.problem);
    const isRemoved = await rows.remove(id, condition.expected ?? undefined);
    return isRemoved ? context.body(null, 204) : refuse(context, conflictWith(id, await rows.head(id)));
  };
}
