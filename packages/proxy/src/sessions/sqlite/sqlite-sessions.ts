import { AgentError } from '@vitrine/core';
import { type ServerSessions, serverSessions } from '../server-sessions.ts';
import type { BlobRows } from '@vitrine/persist';
import {
  type OwnerLimits,
  readByPages,
  type RowPages,
  type ServerRows,
  SessionQuotaError,
} from '../row-pages.ts';
import type { Worker } from 'node:worker_threads';
import type { SqliteRow, SqliteStatement } from './open-sqlite.ts';
import type { SqliteJobs } from './sqlite-jobs.ts';

/** Options of {@link sqliteSessions}. */
export type SqliteSessionsOptions = {
  /** The file, which is created when it does not exist; its folder must exist. `:memory:` keeps nothing. */
  readonly path: string;
};

/** Sessions in a SQLite file, which may hold tables of the application as well. */
export type SqliteSessions = ServerSessions & {
  /**
   * Runs statements in one transaction on the thread of the sessions, so that they never wait for its lock. Resolves with
   * the rows of each once the disk has them; with `isSynced: false` before, so that a power cut may undo them. Statements
   * that only delete (`frees`) get the space of the reserve on a full disk.
   */
  readonly change: (
    statements: readonly SqliteStatement[],
    options?: { readonly isSynced?: boolean; readonly frees?: boolean },
  ) => Promise<readonly (readonly SqliteRow[])[]>;
};

/**
 * Keeps the sessions of a server in one SQLite file, by the `node:sqlite` of Node 22.13 or newer (22.5 with
 * `--experimental-sqlite`), without a package. A write is one transaction in a write-ahead log that is synced before it
 * resolves (`synchronous = FULL`). It survives a killed process (`process-crash`); a power cut depends on the disk.
 * Deleted data are overwritten in the file and removed from its log. Several processes of one machine may share the
 * file and wait up to 5 s for each other; network drives are unsuitable. Queries run in a worker thread, one for all
 * files, so that no stream waits for a disk. A reserve beside the file (`…-reserve`, 4 MiB and twice the largest write)
 * allows sessions to be deleted on a full disk. Without `node:sqlite` every call rejects with AgentError
 * `session-storage`.
 */
export function sqliteSessions({ path }: SqliteSessionsOptions): SqliteSessions {
  return sessionsInThread(path, openInThisProcess);
}

/** The sessions of a file, which a thread works on. */
export function sessionsInThread(path: string, openInThread: OpenInThread): SqliteSessions {
  const thread = openInThread(path);
  let closing: Promise<void> | null = null;
  const open: SqliteThread = {
    async ask(...asked) {
      if (closing)
        throw new AgentError(
          'session-storage',
          `The sessions in ${path} are closed. Create a new store to use them again.`,
        );
      return thread.ask(...asked);
    },
  };
  const sessions = serverSessions(
    (ownerId, limits) => sqliteRows(open, ownerId, limits ?? null),
    () => (closing ??= thread.ask('close', [])),
  );
  return {
    ...sessions,
    change: (statements, { isSynced = true, frees = false } = {}) =>
      open.ask('change', [statements, isSynced, frees]),
  };
}

/** The rows of one owner in SQLite, with one transaction per write, in a worker thread. */
function sqliteRows({ ask }: SqliteThread, owner: string, limits: OwnerLimits | null): ServerRows {
  const pages: RowPages = {
    headsPage: (after) => ask('heads', [owner, after]),
    sessionPage: (id, at) => ask('page', [owner, id, at]),
    rowsPage: (id, names) => ask('rows', [owner, id, names]),
  };
  const blobs: BlobRows = {
    put: (id, file) => ask('putFile', [owner, id, file, limits, Date.now()]),
    get: (hash) => ask('getFile', [owner, hash]),
  };
  return {
    durability: 'process-crash',
    blobs,
    ...pages,
    ...readByPages(pages),
    head: (id) => ask('head', [owner, id]),
    write: (id, wanted) => ask('write', [owner, id, { ...wanted, put: new Map() }, limits], wanted.put),
    append: (id, wanted) => ask('append', [owner, id, { ...wanted, put: new Map() }, limits], wanted.put),
    remove: (id, expected) => ask('remove', [owner, id, expected]),
  };
}

/** A request to the thread: a job of a database, or rows of a write that is sent in several messages. */
export type ThreadRequest =
  | { readonly kind: 'rows'; readonly number: number; readonly rows: readonly (readonly [string, string])[] }
  | {
      readonly kind: 'job';
      readonly number: number;
      readonly database: number;
      readonly path: string;
      readonly job: keyof SqliteJobs;
      readonly values: readonly unknown[];
    };

export type ThreadAnswer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: ThreadError };

export type ThreadError = {
  readonly name: string;
  readonly message: string;
  readonly limit?: 'sessions' | 'bytes';
};

/** The client of one database in the thread. */
type SqliteThread = {
  /** Runs a job. The rows of a write are sent in parts, so that this thread has other turns in between. */
  readonly ask: <Job extends keyof SqliteJobs>(
    job: Job,
    values: Parameters<SqliteJobs[Job]>,
    rows?: ReadonlyMap<string, string>,
  ) => Promise<ReturnType<SqliteJobs[Job]>>;
};

/** Starts a worker; the text is its error where SQLite is missing. */
type StartWorker = (missing: string) => Promise<Worker>;

type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

/** Opens a database in the one thread of this process, which the first one starts. */
type OpenInThread = (path: string) => SqliteThread;

const missing =
  'sqliteSessions needs node:sqlite, which is not here: take Node 22.13 or newer (22.5 with --experimental-sqlite), or postgresSessions.';

/** The approximate number of characters of rows in one message. */
const messageSize = 512 * 1024;

export function createSqliteThreads(start: StartWorker): OpenInThread {
  const waiting = new Map<number, Waiting>();
  let worker: Promise<Worker> | null = null;
  let [requests, databases] = [0, 0];

  function settle(said: ThreadAnswer): void {
    const asked = waiting.get(said.number);
    waiting.delete(said.number);
    if ('value' in said) asked?.resolve(said.value as never);
    else asked?.reject(errorOf(said.error));
  }

  function fail(error: Error): void {
    worker = null;
    for (const [number, { reject }] of waiting) {
      waiting.delete(number);
      reject(error);
    }
  }

  async function startWorker(): Promise<Worker> {
    const made = await start(missing);
    made.on('message', (said: ThreadAnswer) => {
      settle(said);
      // Only pending answers keep the process alive.
      if (waiting.size === 0) made.unref();
    });
    made.on('error', (cause) =>
      fail(new AgentError('session-storage', `The thread of SQLite failed: ${String(cause)}.`, { cause })),
    );
    made.on('exit', () => fail(new AgentError('session-storage', 'The thread of SQLite has ended.')));
    return made;
  }

  async function send(request: ThreadRequest & { readonly kind: 'job' }, rows?: ReadonlyMap<string, string>) {
    worker ??= startWorker();
    const thread = await worker.catch((cause: unknown) => {
      worker = null;
      const message = `The thread of SQLite cannot be started: ${String(cause)}. A bundler has to leave @vitrine/proxy out of its bundle.`;
      throw new AgentError('session-storage', message, { cause });
    });
    const { number } = request;
    const answered = new Promise<never>((resolve, reject) => waiting.set(number, { resolve, reject }));
    thread.ref();
    for (const part of partsOf(rows)) {
      thread.postMessage({ kind: 'rows', number, rows: part } satisfies ThreadRequest);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    thread.postMessage(request);
    return answered;
  }

  return (path) => {
    const database = ++databases;
    return {
      ask: (job, values, rows) =>
        send({ kind: 'job', number: ++requests, database, path, job, values }, rows),
    };
  };
}

function* partsOf(rows: ReadonlyMap<string, string> | undefined): Iterable<[string, string][]> {
  let part: [string, string][] = [];
  let size = 0;
  for (const [name, text] of rows ?? []) {
    part.push([name, text]);
    size += text.length + 100;
    if (size < messageSize) continue;
    yield part;
    [part, size] = [[], 0];
  }
  if (part.length > 0) yield part;
}

function errorOf({ name, message, limit }: ThreadError): Error {
  if (limit !== undefined) return new SessionQuotaError(limit);
  return name === 'SqliteSetupError' ? new AgentError('session-storage', message) : new Error(message);
}

const openInThisProcess = createSqliteThreads(async (text) => {
  const { Worker: Thread } = await import('node:worker_threads');
  // Source code runs as TypeScript, a build as JavaScript.
  const file = `./sqlite-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
  return new Thread(new URL(file, import.meta.url), { workerData: { missing: text } });
});
