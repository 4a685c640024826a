import * as z from 'zod/mini';
import { validate } from '@vitrine/core/internal/graph/document/document';
import { messageShape } from '@vitrine/core/internal/graph/document/message-shape';
import { count, timestamp } from '@vitrine/core/internal/graph/document/shape';
import {
  executionShape,
  pluginsSchema,
  stateShape,
  stepExecutionShape,
} from '@vitrine/core/internal/graph/document/state-shape';
import type { OpenRow } from './row-reader.ts';

/** Hashes of texts, or names and keys of what the groups of a row hold. */
const names = z.array(z.string());

/** The bodies of rows, by kind. Pages and references have none; a text is any JSON. */
export const rowShapes = {
  msg: messageShape.schema,
  plg: pluginsSchema,
  evt: z.array(z.looseObject({ type: z.string() })),
  run: z.tuple([executionShape.schema, names]),
  ste: z.tuple([stepExecutionShape.schema, names]),
  /** The state, the texts that its step in flight refers to, all its texts, and its sections. */
  sta: z.tuple([stateShape.schema, names, names, names]),
  ret: names,
  /** The message, and how many messages of each section are those of the main state. */
  cpt: z.tuple([z.string(), z.array(z.tuple([z.string(), count]))]),
  /** The id of each branch, and the time at which it was left. */
  ses: z.array(z.tuple([z.string(), timestamp])),
};

type Bodies = { readonly [Kind in keyof typeof rowShapes]: z.infer<(typeof rowShapes)[Kind]> };

/** The body of a row of a kind. @throws AgentError `state-invalid` with the name of the row and the path */
export function bodyOf<Kind extends keyof Bodies>(kind: Kind, { row, body }: OpenRow): Bodies[Kind] {
  return validate(rowShapes[kind] as unknown as z.ZodMiniType<Bodies[Kind]>, body, row.name);
}
