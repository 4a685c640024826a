import type { Handler } from 'hono';
import { refuse } from '../../problems/refuse.ts';
import { readSessionBody, sessionBodies } from '../session-body.ts';
import type { SessionsContext, SessionsEnv } from '../sessions-context.ts';

/** `POST /v1/sessions/:id/rows` with `{ names }`: the texts of those rows, archived ones too. It changes nothing. */
export function postSessionRows({ limits }: SessionsContext): Handler<SessionsEnv, '/v1/sessions/:id/rows'> {
  return async (context) => {
    const read = await readSessionBody(context.req.raw, sessionBodies.rows, limits);
    if ('problem' in read) return refuse(context, read.problem);
    const rows = await context.get('rows').rows(context.req.param('id'), read.body.names);
    return context.json({ rows: Object.fromEntries(rows) });
  };
}
