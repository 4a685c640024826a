import { type StoredHead, storedHeadTag } from '@vitrine/core/stores';
import type { Handler } from 'hono';
import { refuse } from '../../problems/problem.ts';
import { jsonBody, textPieces } from '../json-pieces.ts';
import { pagesOf, type RowPages, type SessionCursor, type SessionPage } from '../row-pages.ts';
import { sessionProblems } from '../session-problems.ts';
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

/**
 * `GET /v1/sessions/:id`: a session as `{ text, records, rows: { [name]: text }, tail: text[] }`. It is read page by
 * page while it is sent; rewriting the session meanwhile breaks the answer off.
 */
export function getSession(): Handler<SessionsEnv, '/v1/sessions/:id'> {
  return async (context) => {
    const pages = pagesOf(context.get('rows'));
    const id = context.req.param('id');
    const first = await firstPage(pages, id);
    if (first === null) return refuse(context, sessionProblems.unknown);
    const headers = { ...tagged(first.head), 'content-type': 'application/json' };
    if (context.req.method === 'HEAD') return context.body(null, 200, headers);
    return context.body(jsonBody(sessionParts(pages, id, first)), 200, headers);
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

async function firstPage(pages: RowPages, id: string): Promise<SessionPage | null> {
  const page = await pages.sessionPage(id, null);
  if (page !== 'changed') return page;
  throw new Error('The first page of a session has nothing before it that could have changed.');
}

async function* sessionParts(
  pages: RowPages,
  id: string,
  first: SessionPage,
): AsyncGenerator<Iterable<string>, void> {
  const { text, records } = first.head;
  yield [`{"records":${records},"text":`, ...textPieces(text), ',"rows":{'];
  let [isFirstRow, isFirstRecord, isInTail] = [true, true, false];
  for (let page = first; ;) {
    for (const [name, row] of page.rows) {
      yield entry(`${isFirstRow ? '' : ','}${JSON.stringify(name)}:`, row);
      isFirstRow = false;
    }
    if (page.tail.length > 0 && !isInTail) {
      yield ['},"tail":['];
      isInTail = true;
    }
    for (const record of page.tail) {
      yield entry(isFirstRecord ? '' : ',', record);
      isFirstRecord = false;
    }
    if (page.next === null) break;
    page = await nextPage(pages, id, page.next);
  }
  yield [isInTail ? ']}' : '},"tail":[]}'];
}

function* entry(before: string, text: string): Iterable<string> {
  yield before;
  yield* textPieces(text);
}

async function nextPage(pages: RowPages, id: string, at: SessionCursor): Promise<SessionPage> {
  const page = await pages.sessionPage(id, at);
  if (page === null || page === 'changed') throw new Error('The session was written anew while it was sent.');
  return page;
}
