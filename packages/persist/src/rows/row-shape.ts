import type { Check, ValueOf } from '@vitrine/core/internal/kit/check';
import * as is from '@vitrine/core/internal/kit/check';
import { readJsonAs, type Stored } from '@vitrine/core/internal/graph/document/shape';
import {
  executionShape,
  stateShape,
  stepExecutionShape,
} from '@vitrine/core/internal/graph/document/state-shape';
import { message, plugins } from '@vitrine/core/internal/graph/shapes';
import type { OpenRow } from './row-reader.ts';

/** Hashes of texts, or names and keys of what the groups of a row hold. */
const names = is.list(is.text);

/** The bodies of rows, by kind. Pages and references have none; a text is any JSON. */
const rowShapes = {
  msg: message,
  plg: plugins,
  run: is.tuple<[Stored, readonly string[]]>(executionShape.check, names),
  ste: is.tuple<[Stored, readonly string[]]>(stepExecutionShape.check, names),
  /** The state, the texts that its step in flight refers to, all its texts, and its sections. */
  sta: is.tuple<[Stored, readonly string[], readonly string[], readonly string[]]>(
    stateShape.check,
    names,
    names,
    names,
  ),
  ret: names,
  /** The message, and how many messages of each section are those of the main state. */
  cpt: is.tuple(is.text, is.list(is.tuple(is.text, is.count))),
  /** The id of each branch, and the time at which it was left. */
  ses: is.list(is.tuple(is.text, is.timestamp)),
};

type Bodies = { readonly [Kind in keyof typeof rowShapes]: ValueOf<(typeof rowShapes)[Kind]> };

/** The body of a row of a kind. @throws AgentError `state-invalid` with the name of the row and the path */
export function bodyOf<Kind extends keyof Bodies>(kind: Kind, { row, body }: OpenRow): Bodies[Kind] {
  return readJsonAs(rowShapes[kind] as unknown as Check<Bodies[Kind]>, body, row.name);
}
