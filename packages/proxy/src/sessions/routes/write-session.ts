import type { Context, Handler } from 'hono';
import { type Problem, refuse } from '../../guard/problems.ts';
import { readSessionBody, sessionBodies } from '../session-body.ts';
import type { SessionLimits, SessionsEnv } from '../session-routes-options.ts';
import { sessionProblems } from '../session-problems.ts';
import { isAgentError } from '@vitrine/core';
import { type StoredHead } from '@vitrine/persist';
import { storedHeadTag } from '@vitrine/persist/internal/rows/head';
import { storedHeadVersion } from '@vitrine/persist/internal/rows/head-shape';

/** `PUT /v1/sessions/:id` with `{ head, put, drop, blobs }`: a whole write on the version in `If-Match`. */
export function putSession(limits: SessionLimits): Handler<SessionsEnv, '/v1/sessions/:id'> {
  return async (context) => {
    const rows = context.get('rows');
    const id = context.req.param('id');
    const read = await readSessionBody(context.req.raw, sessionBodies.write, limits);
    if ('problem' in read) return refuse(context, read.problem);
    const { head, put, drop, blobs } = read.body;
    const wrong = checkHead(id, { text: head, records: 0 }, limits);
    if (wrong !== null) return refuse(context, wrong);
    const condition = storedCondition(context.req.raw.headers, id, await rows.head(id));
    if ('problem' in condition) return refuse(context, condition.problem);
    const { expected } = condition;
    return writeAnswer(context, id, await rows.write(id, { expected, head, put, drop, blobs }));
  };
}

/** `POST /v1/sessions/:id/records` with a write of {@link sessionBodies}: a small one on the version in `If-Match`. */
export function postSessionRecords(limits: SessionLimits): Handler<SessionsEnv, '/v1/sessions/:id/records'> {
  return async (context) => {
    const rows = context.get('rows');
    const id = context.req.param('id');
    const read = await readSessionBody(context.req.raw, sessionBodies.append, limits);
    if ('problem' in read) return refuse(context, read.problem);
    const { record, head } = read.body;
    const condition = storedCondition(context.req.raw.headers, id, await rows.head(id));
    if ('problem' in condition) return refuse(context, condition.problem);
    const { expected } = condition;
    if (expected === null) return refuse(context, sessionProblems.unknown);
    const records = expected.records + (record === null ? 0 : 1);
    const wrong = head === null ? null : checkHead(id, { text: head, records }, limits);
    if (wrong !== null) return refuse(context, wrong);
    return writeAnswer(context, id, await rows.append(id, { expected, ...read.body }));
  };
}

/** `DELETE /v1/sessions/:id`: erases a session; with `If-Match` only that version. */
export const deleteSession: Handler<SessionsEnv, '/v1/sessions/:id'> = async (context) => {
  const rows = context.get('rows');
  const id = context.req.param('id');
  const { headers } = context.req.raw;
  const stored = await rows.head(id);
  if (stored === null) return refuse(context, sessionProblems.unknown);
  const condition = headers.has('if-match') ? storedCondition(headers, id, stored) : { expected: null };
  if ('problem' in condition) return refuse(context, condition.problem);
  return writeAnswer(context, id, await rows.remove(id, condition.expected ?? undefined));
};

/** Answers 204 after a write, or 409 with the version that another writer has stored meanwhile. */
async function writeAnswer(context: Context<SessionsEnv>, id: string, isWritten: boolean): Promise<Response> {
  if (isWritten) return context.body(null, 204);
  return refuse(context, conflictWith(id, await context.get('rows').head(id)));
}

/** The problem of a head before so many records: too large or damaged. Null for a valid one and one of a newer page. */
function checkHead(
  id: string,
  { text, records }: StoredHead,
  { headBytes }: Pick<SessionLimits, 'headBytes'>,
): Problem | null {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > headBytes) return sessionProblems.headTooLarge(bytes, headBytes);
  try {
    storedHeadVersion(id, { text, records });
    return null;
  } catch (thrown) {
    if (isAgentError(thrown, 'state-version-unsupported')) return null;
    return sessionProblems.invalid(`head: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** The stored version that a write is based on, or the reason why it is refused. */
type Condition = { readonly expected: StoredHead | null } | { readonly problem: Problem };

/** The stored version that `If-Match` or `If-None-Match: *` expects. The write compares again. */
function storedCondition(headers: Headers, id: string, stored: StoredHead | null): Condition {
  const match = headers.get('if-match');
  if (match === null && headers.get('if-none-match') !== '*') return { problem: sessionProblems.noCondition };
  if (match === null) return stored === null ? { expected: null } : { problem: conflictWith(id, stored) };
  if (stored === null) return { problem: sessionProblems.unknown };
  const isSame = match === `"${storedHeadTag(stored)}"`;
  return isSame ? { expected: stored } : { problem: conflictWith(id, stored) };
}

function conflictWith(id: string, stored: StoredHead | null): Problem {
  return sessionProblems.conflict(stored === null ? 0 : versionOf(id, stored));
}

function versionOf(id: string, stored: StoredHead): number {
  try {
    return storedHeadVersion(id, stored);
  } catch {
    // The version of a damaged head is unknown.
    return 0;
  }
}
