import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SessionQuotaError } from '../row-pages.ts';
import type { SqliteStatement } from './open-sqlite.ts';
import type { SqliteJobs } from './sqlite-jobs.ts';
import type { ThreadAnswer, ThreadError, ThreadRequest } from './sqlite-sessions.ts';

// SQLite's thread may wait for disks and locks while the thread of the server goes on. It imports only Node and files
// of this folder.
const openJobs = await import('./sqlite-jobs.ts').then(
  ({ SqliteJobs: Jobs }) =>
    (path: string) =>
      new Jobs(path),
  (error: unknown) => (): never => {
    const { missing } = workerData as { readonly missing: string };
    throw Object.assign(new Error(missing, { cause: error }), { name: 'SqliteSetupError' });
  },
);
type JobRequest = Extract<ThreadRequest, { readonly kind: 'job' }>;

/** The writes of one transaction each. Others empty the log as well, and nothing within a transaction can do that. */
const writes: ReadonlySet<string> = new Set<keyof SqliteJobs>(['append', 'change']);
/** The reads, which may stand between them. */
const reads: ReadonlySet<string> = new Set<keyof SqliteJobs>(['head', 'heads', 'page', 'rows', 'getFile']);
/** The most jobs that one transaction holds, so that the first does not wait for long. */
const mostTogether = 64;
/** The most characters of a write that shares a transaction, so that the log stays as small as the reserve expects. */
const smallSize = 16 * 1024;
const opened = new Map<number, SqliteJobs>();
/** Rows of incomplete writes, by the number of their request. */
const staged = new Map<number, Map<string, string>>();

function jobsOf(database: number, path: string): SqliteJobs {
  const jobs = opened.get(database) ?? openJobs(path);
  opened.set(database, jobs);
  return jobs;
}

function answer({ database, path, job, values, number }: JobRequest): unknown {
  if (job === 'close') {
    opened.get(database)?.close();
    opened.delete(database);
    return null;
  }
  const put = staged.get(number);
  const sent =
    put === undefined
      ? values
      : values.map((value, at) => (at === 2 ? { ...(value as object), put } : value));
  const jobs = jobsOf(database, path);
  return (jobs[job] as (...values: readonly unknown[]) => unknown).call(jobs, ...sent);
}

function failureOf(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { name: '', message: String(error) };
  const { name, message } = error;
  const limit = error instanceof SessionQuotaError ? { limit: error.limit } : {};
  return { name, message, ...limit };
}

function outcomeOf(request: JobRequest): ThreadAnswer {
  const { number } = request;
  try {
    return { number, value: answer(request) };
  } catch (error) {
    return { number, error: failureOf(error) };
  }
}

/** Runs jobs on one database in one transaction; each by itself when that fails, so that each has its own error. */
function answerTogether(group: readonly JobRequest[]): readonly ThreadAnswer[] {
  const [first] = group;
  const jobs = first && opened.get(first.database);
  if (group.length > 1 && jobs !== undefined) {
    const said: ThreadAnswer[] = [];
    if (jobs.together(group.map((request) => () => void said.push(outcomeOf(request))))) return said;
  }
  return group.map(outcomeOf);
}

/** Groups jobs in their order: small writes on the same database, which wait for the disk together, and others alone. */
function groupsOf(requests: readonly JobRequest[]): readonly (readonly JobRequest[])[] {
  const groups: JobRequest[][] = [];
  for (const request of requests) {
    const before = groups.at(-1);
    const first = before?.[0];
    const isNext =
      first?.database === request.database &&
      isSmallWrite(first) &&
      (isSmallWrite(request) || reads.has(request.job));
    if (isNext) before?.push(request);
    else groups.push([request]);
  }
  return groups;
}

function isSmallWrite({ job, values, number }: JobRequest): boolean {
  if (!writes.has(job)) return false;
  const texts =
    job === 'change'
      ? (values[0] as readonly SqliteStatement[]).flatMap((one) => one.values ?? [])
      : Object.values(values[2] ?? {});
  const all: readonly unknown[] = [...texts, ...(staged.get(number)?.values() ?? [])];
  return all.reduce((sum: number, text) => sum + sizeOf(text), 0) <= smallSize;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return ArrayBuffer.isView(value) ? value.byteLength : 0;
}

/** Keeps the rows of a write until its job comes. */
function stage({ number, rows }: Exclude<ThreadRequest, JobRequest>): void {
  const before = staged.get(number) ?? new Map<string, string>();
  for (const [name, text] of rows) before.set(name, text);
  staged.set(number, before);
}

parentPort?.on('message', (first: ThreadRequest) => {
  const requests: JobRequest[] = [];
  let next: ThreadRequest | undefined = first;
  while (next !== undefined) {
    if (next.kind === 'rows') stage(next);
    else requests.push(next);
    next =
      requests.length < mostTogether && parentPort !== null
        ? (receiveMessageOnPort(parentPort)?.message as ThreadRequest | undefined)
        : undefined;
  }
  for (const group of groupsOf(requests))
    for (const said of answerTogether(group)) {
      staged.delete(said.number);
      parentPort?.postMessage(said);
    }
});
