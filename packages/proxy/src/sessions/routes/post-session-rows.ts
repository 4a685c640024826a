import type { Handler } from 'hono';
import { refuse } from '../../problems/problem.ts';
import { jsonBody, textPieces } from '../json-pieces.ts';
import { type NamedRows, pagesOf, type RowPages } from '../row-pages.ts';
import { readSessionBody, sessionBodies } from '../session-body.ts';
import type { SessionsContext, SessionsEnv } from '../sessions-context.ts';

/**
 * `POST /v1/sessions/:id/rows` with `{ names }`: the texts of those rows, archived ones included. It changes nothing.
 */
export function postSessionRows({ limits }: SessionsContext): Handler<SessionsEnv, '/v1/sessions/:id/rows'> {
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
