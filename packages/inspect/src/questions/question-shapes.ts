import * as z from 'zod';
import type { JsonObject } from '@vitrine/core/internal/kit/json';

const session = z
  .string()
  .max(200)
  .optional()
  .describe('Id or name of the session, as `runs` tells it. Default: the one that changed last.');
const run = z
  .int()
  .min(1)
  .optional()
  .describe('Number of the run, as `runs` tells it. Default: the last run of the session.');
const agent = z
  .array(z.string().max(200))
  .max(20)
  .optional()
  .describe(
    'The tool calls that lead to a subagent, as `costOf` and `findings` tell them. Default: the main agent.',
  );
const step = z
  .union([z.int().min(1), z.string().min(1).max(200)])
  .describe('Number of the step in its run, counted from 1, or its id.');
const path = z
  .union([z.string().max(1_000), z.array(z.string().max(200)).max(100)])
  .describe('Keys from the state of the agent, e.g. "plugins.todo.data" or ["context", "metadata", "a.b"].');
const after = z
  .string()
  .max(20)
  .optional()
  .describe('The `more` of the last answer, to read on. Give the other fields again as they were.');

const ofRun = { session, run, after };
const ofStep = { session, run, agent, step, after };
const place = z.object({ run, agent, step });

/** The input of each question. */
export const questionShapes = {
  runs: z.object({ session, after }),
  whyStopped: z.object(ofRun),
  findings: z.object(ofRun),
  costOf: z.object(ofRun),
  promptAt: z.object(ofStep),
  leftOut: z.object(ofStep),
  stateAt: z.object({ ...ofStep, path: path.optional() }),
  whoWrote: z.object({ session, run, agent, path, after }),
  diff: z.object({ session, a: place, b: place, after }),
};

/** The answer to any question. */
export const answerShape = z.object({
  items: z.array(z.json()).describe('The answer, in order.'),
  more: z.string().nullable().describe('Give it as `after` to read on; null at the end.'),
});

/** The inputs of the questions, checked. */
export type QuestionInputs = {
  [Name in keyof typeof questionShapes]: z.infer<(typeof questionShapes)[Name]>;
};

/** A shape as JSON Schema. */
export function schemaOf(shape: z.ZodType): JsonObject {
  return z.toJSONSchema(shape) as JsonObject;
}
