import type { Handler } from 'hono';
import type { SessionsEnv } from '../sessions-context.ts';

/** `GET /v1/sessions`: the heads of all sessions of whoever asks, as `{ sessions: [id, text, records][] }`. */
export function getSessions(): Handler<SessionsEnv> {
  return async (context) => {
    const heads = await context.get('rows').heads();
    return context.json({ sessions: [...heads].map(([id, { text, records }]) => [id, text, records]) });
  };
}
