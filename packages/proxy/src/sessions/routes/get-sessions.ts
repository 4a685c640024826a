import type { Handler } from 'hono';
import { pagesOf } from '../row-pages.ts';
import type { SessionsEnv } from '../sessions-context.ts';

/**
 * `GET /v1/sessions`: heads of the caller's sessions, in the order of their ids, as `{ sessions: [id, text, records][],
 * next }`. The next page is at `?after=` with `next`, which is null at the end.
 */
export function getSessions(): Handler<SessionsEnv> {
  return async (context) => {
    const after = context.req.query('after') ?? null;
    const { heads, next } = await pagesOf(context.get('rows')).headsPage(after);
    return context.json({ sessions: heads.map(([id, { text, records }]) => [id, text, records]), next });
  };
}
