import { parentPort, workerData } from 'node:worker_threads';
import { SessionQuotaError } from '../row-pages.ts';
import type { SqliteJobs } from './sqlite-jobs.ts';
import type { ThreadAnswer, ThreadError, ThreadRequest } from './sqlite-sessions.ts';

// SQLite's thread may wait for disks and locks while the thread of the server goes on. It imports only Node and files
// of this folder.
const { sqliteJobs } = await import('./sqlite-jobs.ts').catch((error: unknown) => ({
  sqliteJobs: (): never => {
    const { missing } = workerData as { readonly missing: string };
    throw Object.assign(new Error(missing, { cause: error }), { name: 'SqliteSetupError' });
  },
}));
const opened = new Map<number, SqliteJobs>();
/** Rows of incomplete writes, by the number of their request. */
const staged = new Map<number, Map<string, string>>();

function jobsOf(database: number, path: string): SqliteJobs {
  const jobs = opened.get(database) ?? sqliteJobs(path);
  opened.set(database, jobs);
  return jobs;
}

function answer({ database, path, job, values, number }: Extract<ThreadRequest, { kind: 'job' }>): unknown {
  if (job === 'close') {
    opened.get(database)?.close();
    opened.delete(database);
    return null;
  }
  const put = staged.get(number);
  staged.delete(number);
  const sent =
    put === undefined
      ? values
      : values.map((value, at) => (at === 2 ? { ...(value as object), put } : value));
  return (jobsOf(database, path)[job] as (...values: unknown[]) => unknown)(...sent);
}

function failureOf(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { name: '', message: String(error) };
  const { name, message } = error;
  const limit = error instanceof SessionQuotaError ? { limit: error.limit } : {};
  return { name, message, ...limit };
}

parentPort?.on('message', (request: ThreadRequest) => {
  const { number } = request;
  if (request.kind === 'rows') {
    const rows = staged.get(number) ?? new Map<string, string>();
    for (const [name, text] of request.rows) rows.set(name, text);
    return void staged.set(number, rows);
  }
  let said: ThreadAnswer;
  try {
    said = { number, value: answer(request) };
  } catch (error) {
    said = { number, error: failureOf(error) };
  }
  parentPort?.postMessage(said);
});
