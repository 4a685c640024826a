import type { FilePart } from '../../graph/message-part.ts';
import type { JsonObject } from '../../kit/json.ts';

/** What a person sends. It needs text, a file or data. */
export type OutgoingMessage = {
  readonly text: string;
  readonly files?: readonly FilePart[];
  /** Data parts by name. */
  readonly data?: JsonObject;
  readonly metadata?: JsonObject;
};

/** How a turn is to be run, apart from what the agent says. */
export type RunOptions = {
  /** The model of this turn only. */
  readonly model?: string;
};

/** A message that was sent and has not begun; its id is that of its turn, and of the message that it becomes. */
export type QueuedMessage = OutgoingMessage & {
  readonly id: string;
  readonly isSteered: boolean;
  readonly options?: RunOptions;
};
