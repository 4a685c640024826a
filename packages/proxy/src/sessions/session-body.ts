import { parse } from 'secure-json-parse';
import * as z from 'zod';
import { readText } from '../guard/read-text.ts';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import { fileHash } from './session-file.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionLimits } from './session-routes-options.ts';

const rowName = z.string().regex(/^[A-Za-z0-9.]{1,64}$/);
/** The files that a session holds, by hash. */
const blobs = z.array(z.string().regex(fileHash)).default([]);

/** What requests bring; texts are looked into by those who read them. */
export const sessionBodies = {
  write: z.strictObject({
    head: z.string(),
    put: z.record(rowName, z.string()),
    drop: z.union([z.literal('rest'), z.array(rowName)]),
    blobs,
  }),
  append: z.strictObject({
    record: z.string().nullable(),
    head: z.string().nullable(),
    isStrict: z.boolean(),
    blobs,
  }),
  rows: z.strictObject({ names: z.array(rowName) }),
};

/** Reads and checks a body, each step before the one that costs more. */
export async function readSessionBody<Body>(
  request: Request,
  schema: z.ZodType<Body>,
  { bodyBytes, bodyMs }: SessionLimits,
): Promise<{ readonly body: Body } | { readonly problem: Problem }> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return { problem: problems.notJsonType };
  if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
    return { problem: problems.encoded };
  const read = await readText(request, { maxBytes: bodyBytes, maxMs: bodyMs });
  if ('refused' in read) return { problem: refusal(read.refused, bodyBytes) };
  let value: unknown;
  try {
    value = parse(read.text, { protoAction: 'remove', constructorAction: 'ignore' });
  } catch {
    return { problem: problems.notJson };
  }
  const checked = schema.safeParse(value);
  if (checked.success) return { body: checked.data };
  const [issue] = checked.error.issues;
  return { problem: sessionProblems.invalid(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`) };
}

function refusal(refused: 'too-large' | 'too-slow' | 'unreadable', bodyBytes: number): Problem {
  if (refused === 'too-slow') return problems.tooSlow;
  return refused === 'too-large' ? sessionProblems.tooLarge(bodyBytes) : problems.notJson;
}
