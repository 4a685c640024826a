import {
  type FileAnswer,
  type HttpSessionsOptions,
  type ReadAnswer,
  type PageFunctions,
  answers,
  fileTypeHeader,
} from './http-protocol.ts';
import { type SessionAnswer, type SessionRequest, createSessionRequests } from './http-requests.ts';
import type { BlobRows, RowStorage, StoredHead } from '../../rows/row-storage.ts';
import { storedHeadTag } from '../../rows/head.ts';
import type { Durability } from '@vitrine/core/internal/session/store/session-store';

/** Creates row storage on a server. `onDurability` receives the durability of the server's store. */
export function httpRows(
  options: HttpSessionsOptions,
  onDurability: (durability: Durability) => void,
  page: PageFunctions,
): RowStorage {
  const request = createSessionRequests(options, onDurability, page);

  /** Sends a request and parses the answer; null when the server does not know the session. */
  async function ask<Answer>(
    read: ReadAnswer<Answer>,
    what: string,
    sent: SessionRequest,
  ): Promise<Answer | null> {
    const answered = await request({ ...sent, what });
    if (answered.outcome !== 'done') return null;
    if (sent.path.endsWith(ifAny) && answers.isAbsent(answered.body)) return null;
    const answer = read(answered.body);
    if (answer !== null) return answer;
    throw notOurs(what);
  }

  function notOurs(what: string): Error {
    const message = `${what} could not be read: the server answered with something other than sessions. Check that createSessionRoutes is mounted at ${JSON.stringify(options.url)}.`;
    return page.fail(message);
  }

  /** Sends a change; false when the stored session is not the expected one. */
  async function change(id: string, sent: SessionRequest): Promise<boolean> {
    const { outcome } = await request({ ...sent, what: nameSession(id) });
    return outcome === 'done';
  }

  return {
    durability: 'eventual',
    blobs: httpBlobs(request, notOurs),
    async heads() {
      const heads = new Map<string, StoredHead>();
      for (let after: string | null | undefined; after !== null;) {
        const path = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
        const page = await ask(answers.heads, 'The list of sessions', { method: 'GET', path });
        for (const [id, text, records] of page?.sessions ?? []) heads.set(id, { text, records });
        after = page?.next ?? null;
      }
      return heads;
    },
    head: (id) => ask(answers.head, nameSession(id), { method: 'GET', path: `${pathOf(id)}/head${ifAny}` }),
    async read(id) {
      const answer = await ask(answers.session, nameSession(id), {
        method: 'GET',
        path: `${pathOf(id)}${ifAny}`,
      });
      return answer && { ...answer, rows: new Map(Object.entries(answer.rows)) };
    },
    async rows(id, names) {
      const sent: SessionRequest = { method: 'POST', path: `${pathOf(id)}/rows`, body: { names } };
      return new Map(Object.entries((await ask(answers.rows, nameSession(id), sent))?.rows ?? {}));
    },
    write: (id, { expected, head, put, drop, blobs = [] }) =>
      change(id, {
        method: 'PUT',
        path: pathOf(id),
        headers: expected === null ? { 'if-none-match': '*' } : ifMatch(expected),
        body: { head, put: Object.fromEntries(put), drop, blobs },
      }),
    append: (id, { expected, record, head, isStrict, put = new Map(), drop = [], blobs = [] }) =>
      change(id, {
        method: 'POST',
        path: `${pathOf(id)}/records`,
        headers: ifMatch(expected),
        body: { record, head, isStrict, put: Object.fromEntries(put), drop, blobs },
      }),
    async remove(id, expected) {
      const headers = expected === undefined ? {} : ifMatch(expected);
      const isDone = await change(id, { method: 'DELETE', path: pathOf(id), headers });
      // A missing session is already removed.
      return isDone || expected === undefined;
    },
  };
}

/** Asks for `{ absent: true }` in place of a 404, which browsers write in the console. Older servers ignore it. */
const ifAny = '?absent';

function nameSession(id: string): string {
  return `Session ${JSON.stringify(decodeURIComponent(id))}`;
}

function pathOf(id: string): string {
  return `/${encodeURIComponent(id)}`;
}

function ifMatch(expected: StoredHead): Readonly<Record<string, string>> {
  return { 'if-match': `"${storedHeadTag(expected)}"` };
}

/** Files on a server, each in its own request. `notOurs` creates the error for answers that are no file. */
function httpBlobs(
  request: (sent: SessionRequest & { readonly what: string }) => Promise<SessionAnswer>,
  notOurs: (what: string) => Error,
): BlobRows {
  return {
    async put(id, { hash, bytes, mediaType }) {
      const path = `/${encodeURIComponent(id)}/files/${hash}`;
      // A media type may be any text, which a header cannot hold.
      const headers = { [fileTypeHeader]: encodeURIComponent(mediaType) };
      const { outcome } = await request({ what: 'The file', method: 'PUT', path, headers, body: bytes });
      if (outcome !== 'done') throw notOurs('The file');
    },
    async get(hash) {
      // The hash may come from a foreign message, and it becomes part of an address.
      if (!/^[0-9a-f]{64}$/.test(hash)) return null;
      const answer = await request({ what: 'The file', method: 'GET', path: `/files/${hash}` });
      if (answer.outcome !== 'done') return null;
      if (!isFile(answer.body)) throw notOurs('The file');
      return answer.body;
    },
  };
}

function isFile(body: unknown): body is FileAnswer {
  return typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof ArrayBuffer;
}
