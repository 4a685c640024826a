import * as errors from '@vitrine/core/internal/kit/errors';
import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import type { Message } from '@vitrine/core/internal/graph/message';
import { toJson } from '@vitrine/core/internal/kit/to-json';
import { assemble, type AssembleOptions } from './assemble.ts';
import { type LeftPart, type ReadMessages, Import } from './reading.ts';
import { shapeNames, shapeOfMessages, type MessageShape } from './recognize.ts';

/** Options of the importers of one shape; all are optional. */
export type NamedImportOptions = {
  /**
   * The trust in the messages, as for `importSession`: `none` (default) leaves out system messages, because they give
   * orders to the model; `full` keeps them.
   */
  readonly trust?: 'none' | 'full';
  /** Receives the parts that are in none of the messages; not called when there are none. */
  readonly onLeft?: (left: readonly LeftPart[]) => void;
  /** The clock and ids. Default: those of the system. */
  readonly env?: Env;
};

type Named = NamedImportOptions &
  Pick<AssembleOptions, 'isKept'> & {
    readonly name: string;
    readonly shape: MessageShape;
    readonly read: ReadMessages;
  };

/**
 * Reads a list in one shape.
 * @throws AgentError `message-invalid` for messages that are known to be of another shape: most of it would be left.
 */
export function importNamed(list: readonly unknown[], named: Named): readonly Message[] {
  const { name, shape, read, trust = 'none', onLeft, env = systemEnv, isKept } = named;
  const copied = toJson(list, { maxDepth: 1_000, maxValues: Infinity }) as readonly unknown[];
  const found = shapeOfMessages(copied);
  if (found !== null && found !== shape) {
    const message = `${name}: these are messages of ${shapeNames[found]}. Read them with importMessages(messages) of @vitrine/core, which knows their shape.`;
    throw errors.messageInvalid(message, { shape: found });
  }
  const reading = new Import(env);
  const options = isKept === undefined ? { trust } : { trust, isKept };
  const { messages } = assemble(read(copied, reading), reading, options);
  if (reading.left.length > 0) onLeft?.(reading.left);
  return messages;
}
