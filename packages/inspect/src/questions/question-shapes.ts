import * as z from 'zod/mini';
import type { JsonObject } from '@vitrine/core/internal/kit/json';

// zod's main entry asks the page whether it may evaluate text, which a strict Content Security Policy reports.

const name = z.string().check(z.maxLength(200));
const id = z.string().check(z.minLength(1), z.maxLength(200));
const count = z.int().check(z.minimum(1));

const session = z
  .optional(name)
  .check(z.describe('Id or name of the session, as `runs` tells it. Default: the one that changed last.'));
const run = z
  .optional(count)
  .check(z.describe('Number of the run, as `runs` tells it. Default: the last run of the session.'));
const agent = z
  .optional(z.array(name).check(z.maxLength(20)))
  .check(
    z.describe(
      'The tool calls that lead to a subagent, as `costOf` and `findings` tell them. Default: the main agent.',
    ),
  );
const step = z
  .union([count, id])
  .check(z.describe('Number of the step in its run, counted from 1, or its id.'));
const path = z
  .union([z.string().check(z.maxLength(1_000)), z.array(name).check(z.maxLength(100))])
  .check(
    z.describe(
      'Keys from the state of the agent, e.g. "plugins.todo.data" or ["context", "metadata", "a.b"].',
    ),
  );
const after = z
  .optional(z.string().check(z.maxLength(20)))
  .check(z.describe('The `more` of the last answer, to read on. Give the other fields again as they were.'));

const ofRun = { session, run, after };
const ofStep = { session, run, agent, step, after };
const place = z.object({ run, agent, step });

export const questionShapes = {
  runs: z.object({ session, after }),
  whyStopped: z.object(ofRun),
  findings: z.object(ofRun),
  costOf: z.object(ofRun),
  promptAt: z.object(ofStep),
  leftOut: z.object(ofStep),
  stateAt: z.object({ ...ofStep, path: z.optional(path) }),
  whoWrote: z.object({ session, run, agent, path, after }),
  diff: z.object({ session, a: place, b: place, after }),
};

/** The answer to any question. */
export const answerShape = z.object({
  items: z.array(z.json()).check(z.describe('The answer, in order.')),
  more: z.nullable(z.string()).check(z.describe('Give it as `after` to read on; null at the end.')),
});

export type QuestionInputs = {
  [Name in keyof typeof questionShapes]: z.infer<(typeof questionShapes)[Name]>;
};

export function schemaOf(shape: z.ZodMiniType): JsonObject {
  return z.toJSONSchema(shape) as JsonObject;
}
