import { type StoredHead, storedHeadTag } from '@vitrine/core/stores';
import type { Handler } from 'hono';
import { refuse } from '../../problems/refuse.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionsEnv } from '../sessions-context.ts';

/** `GET /v1/sessions/:id`: a session as `{ text, records, rows: { [name]: text }, tail: text[] }`. */
export function getSession(): Handler<SessionsEnv, '/v1/sessions/:id'> {
  return async (context) => {
    const stored = await context.get('rows').read(context.req.param('id'));
    if (stored === null) return refuse(context, sessionProblems.unknown);
    return context.json({ ...stored, rows: Object.fromEntries(stored.rows) }, 200, tagged(stored));
  };
}

/** `GET /v1/sessions/:id/head`: its head as `{ text, records }`. */
export function getSessionHead(): Handler<SessionsEnv, '/v1/sessions/:id/head'> {
  return async (context) => {
    const head = await context.get('rows').head(context.req.param('id'));
    return head === null ? refuse(context, sessionProblems.unknown) : context.json(head, 200, tagged(head));
  };
}

function tagged(stored: StoredHead): Record<string, string> {
  return { etag: `"${storedHeadTag(stored)}"` };
}
