import * as z from 'zod/mini';
import type { Durability } from './session-store.ts';

const count = z.int().check(z.nonnegative());
const texts = z.record(z.string(), z.string());
const head = { text: z.string(), records: count };

/** What an answer has to be. */
export type AnswerSchema<Answer> = z.ZodMiniType<Answer>;

/** What the server answers, by what it is asked. */
export const answers = {
  /** `GET /v1/sessions` */
  heads: z.object({ sessions: z.array(z.tuple([z.string(), z.string(), count])) }),
  /** `GET /v1/sessions/:id/head` */
  head: z.object(head),
  /** `GET /v1/sessions/:id` */
  session: z.object({ ...head, rows: texts, tail: z.array(z.string()) }),
  /** `POST /v1/sessions/:id/rows` */
  rows: z.object({ rows: texts }),
};

/** What a server says when it refuses, as `application/problem+json`. */
export const problemAnswer = z.object({ code: z.string(), detail: z.string() });

/** The header in which a server says what its store survives. */
export const durabilityHeader = 'x-session-durability';

export const durabilities: readonly Durability[] = ['none', 'eventual', 'process-crash', 'replicated'];
