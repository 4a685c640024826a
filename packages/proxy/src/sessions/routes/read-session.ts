import { type StoredHead } from '@vitrine/persist';
import { storedHeadTag } from '@vitrine/persist/internal/rows/head';
import type { Context, Handler } from 'hono';
import { refuse } from '../../guard/problems.ts';
import {
  type NamedRows,
  pagesOf,
  type RowPages,
  type SessionCursor,
  type SessionPage,
} from '../row-pages.ts';
import { sessionProblems } from '../session-problems.ts';
import type { SessionLimits, SessionsEnv } from '../session-routes-options.ts';
import { readSessionBody, sessionBodies } from '../session-body.ts';

/**
 * `GET /v1/sessions`: heads of the caller's sessions, in the order of their ids, as `{ sessions: [id, text, records][],
 * next }`. The next page is at `?after=` with `next`, which is null at the end.
 */
export const getSessions: Handler<SessionsEnv> = async (context) => {
  const after = context.req.query('after') ?? null;
  const { heads, next } = await pagesOf(context.get('rows')).headsPage(after);
  return context.json({ sessions: heads.map(([id, { text, records }]) => [id, text, records]), next });
};

/**
 * `GET /v1/sessions/:id`: a session as `{ text, records, rows: { [name]: text }, tail: text[] }`. It is read page by
 * page while it is sent; rewriting the session meanwhile breaks the answer off.
 */
export const getSession: Handler<SessionsEnv, '/v1/sessions/:id'> = async (context) => {
  const pages = pagesOf(context.get('rows'));
  const id = context.req.param('id');
  const first = await firstPage(pages, id);
  if (first === null) return absent(context);
  const headers = { ...tagHeaders(first.head), 'content-type': 'application/json' };
  if (context.req.method === 'HEAD') return context.body(null, 200, headers);
  return context.body(jsonBody(sessionParts(pages, id, first)), 200, headers);
};

/** `GET /v1/sessions/:id/head`: its head as `{ text, records }`. */
export const getSessionHead: Handler<SessionsEnv, '/v1/sessions/:id/head'> = async (context) => {
  const head = await context.get('rows').head(context.req.param('id'));
  return head === null ? absent(context) : context.json(head, 200, tagHeaders(head));
};

/**
 * 404, or `{ absent: true }` for a page that asks with `?absent`: every conversation begins with a session that does
 * not exist, and browsers write each 404 in the console.
 */
function absent(context: Context<SessionsEnv>): Response {
  const isAsked = context.req.query('absent') !== undefined;
  return isAsked ? context.json({ absent: true }) : refuse(context, sessionProblems.unknown);
}

function tagHeaders(stored: StoredHead): Record<string, string> {
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

/** `POST /v1/sessions/:id/rows` with `{ names }`: the texts of those rows, archived ones included. */
export function postSessionRows(limits: SessionLimits): Handler<SessionsEnv, '/v1/sessions/:id/rows'> {
  return async (context) => {
    const read = await readSessionBody(context.req.raw, sessionBodies.rows, limits);
    if ('problem' in read) return refuse(context, read.problem);
    const pages = pagesOf(context.get('rows'));
    const id = context.req.param('id');
    const first = await pages.rowsPage(id, [...new Set(read.body.names)]);
    return context.body(jsonBody(rowParts(pages, id, first)), 200, { 'content-type': 'application/json' });
  };
}

async function* rowParts(
  pages: RowPages,
  id: string,
  first: NamedRows,
): AsyncGenerator<Iterable<string>, void> {
  yield ['{"rows":{'];
  let isFirst = true;
  for (let page = first; ; page = await pages.rowsPage(id, page.rest)) {
    for (const [name, text] of page.rows) {
      yield [`${isFirst ? '' : ','}${JSON.stringify(name)}:`, ...textPieces(text)];
      isFirst = false;
    }
    if (page.rest.length === 0) break;
  }
  yield ['}}'];
}

/** The approximate size of one piece of an answer, in characters. */
const pieceSize = 64 * 1024;

/** A string as JSON, in pieces. A surrogate pair may be cut; its halves are joined again when they are read. */
function* textPieces(text: string): Iterable<string> {
  if (text.length <= pieceSize) return yield JSON.stringify(text);
  yield '"';
  for (let at = 0; at < text.length; at += pieceSize)
    yield JSON.stringify(text.slice(at, at + pieceSize)).slice(1, -1);
  yield '"';
}

/** A JSON body in pieces of about 64 KiB, generated while it is read. An error breaks the answer off. */
function jsonBody(parts: AsyncGenerator<Iterable<string>, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let part: Iterator<string> | null = null;

  /** Joins small pieces into the next one. */
  async function piece(): Promise<string | null> {
    let text = '';
    while (text.length < pieceSize) {
      const found = part?.next();
      if (found !== undefined && found.done !== true) {
        text += found.value;
        continue;
      }
      const more = await parts.next();
      if (more.done === true) return text === '' ? null : text;
      part = more.value[Symbol.iterator]();
    }
    return text;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        const text = await piece();
        if (text === null) out.close();
        else out.enqueue(encoder.encode(text));
      },
      cancel: () => void parts.return().catch(() => undefined),
    },
    { highWaterMark: 0 },
  );
}
