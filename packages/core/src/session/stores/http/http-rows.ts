import { httpBlobs } from './http-blobs.ts';
import { answers, type ReadAnswer, type StorageFailure } from './http-protocol.ts';
import { createSessionRequests, type SessionRequest } from './http-requests.ts';
import type { HttpSessionsOptions } from './http-sessions-options.ts';
import type { RowStorage, StoredHead } from '../rows/row-storage.ts';
import { storedHeadTag } from '../rows/stored-head-tag.ts';
import type { Durability } from '../session-store.ts';

/** Rows on a server; `hear` is told what its store survives, `fail` makes what is thrown. */
export function httpRows(
  options: HttpSessionsOptions,
  hear: (durability: Durability) => void,
  fail: StorageFailure,
): RowStorage {
  const request = createSessionRequests(options, hear, fail);

  /** Null where the server knows no such session. */
  async function ask<Answer>(
    read: ReadAnswer<Answer>,
    what: string,
    sent: SessionRequest,
  ): Promise<Answer | null> {
    const answered = await request({ ...sent, what });
    if (answered.outcome !== 'done') return null;
    const answer = read(answered.body);
    if (answer !== null) return answer;
    throw notOurs(what);
  }

  function notOurs(what: string): Error {
    const message = `${what} could not be read: the server answered with something else than sessions. See that createSessionRoutes is mounted at ${JSON.stringify(options.url)}.`;
    return fail(message);
  }

  /** False where something else is stored than was expected. */
  async function change(id: string, sent: SessionRequest): Promise<boolean> {
    const { outcome } = await request({ ...sent, what: named(id) });
    return outcome === 'done';
  }

  return {
    durability: 'eventual',
    blobs: httpBlobs(request, notOurs),
    async heads() {
      const answer = await ask(answers.heads, 'The list of sessions', { method: 'GET', path: '' });
      return new Map(answer?.sessions.map(([id, text, records]) => [id, { text, records }]));
    },
    head: (id) => ask(answers.head, named(id), { method: 'GET', path: `${pathOf(id)}/head` }),
    async read(id) {
      const answer = await ask(answers.session, named(id), { method: 'GET', path: pathOf(id) });
      return answer && { ...answer, rows: new Map(Object.entries(answer.rows)) };
    },
    async rows(id, names) {
      const sent: SessionRequest = { method: 'POST', path: `${pathOf(id)}/rows`, body: { names } };
      return new Map(Object.entries((await ask(answers.rows, named(id), sent))?.rows ?? {}));
    },
    write: (id, { expected, head, put, drop, blobs = [] }) =>
      change(id, {
        method: 'PUT',
        path: pathOf(id),
        headers: expected === null ? { 'if-none-match': '*' } : ifMatch(expected),
        body: { head, put: Object.fromEntries(put), drop, blobs },
      }),
    append: (id, { expected, record, head, isStrict, blobs = [] }) =>
      change(id, {
        method: 'POST',
        path: `${pathOf(id)}/records`,
        headers: ifMatch(expected),
        body: { record, head, isStrict, blobs },
      }),
    async remove(id, expected) {
      const headers = expected === undefined ? {} : ifMatch(expected);
      const isDone = await change(id, { method: 'DELETE', path: pathOf(id), headers });
      // What is not there is what was asked for.
      return isDone || expected === undefined;
    },
  };
}

function named(id: string): string {
  return `Session ${JSON.stringify(id)}`;
}

function pathOf(id: string): string {
  return `/${encodeURIComponent(id)}`;
}

function ifMatch(expected: StoredHead): Readonly<Record<string, string>> {
  return { 'if-match': `"${storedHeadTag(expected)}"` };
}
