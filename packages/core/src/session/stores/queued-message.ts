import type { FilePart } from '../../graph/message-part.ts';
import type { JsonObject } from '../../kit/json.ts';

/** What a person sends. It needs text, a file or data. */
export type OutgoingMessage = {
  readonly text: string;
  /** A `File` or `Blob` is put into the session's store, or into the message where that keeps no files. */
  readonly files?: readonly (FilePart | Blob)[];
  /** Data parts by name. */
  readonly data?: JsonObject;
  readonly metadata?: JsonObject;
};

/** How a turn is to be run, apart from what the agent says. */
export type RunOptions = {
  /** The model of this turn only. */
  readonly model?: string;
};

/** What was sent, once its files are kept. */
export type KeptMessage = Omit<OutgoingMessage, 'files'> & { readonly files?: readonly FilePart[] };

/** The message with the files that are kept: all of them, when it has come through the mailbox. */
export function keptMessage({ files, ...message }: OutgoingMessage): KeptMessage {
  if (files === undefined) return message;
  return { ...message, files: files.filter((file): file is FilePart => !(file instanceof Blob)) };
}

/** A message that was sent and has not begun; its id is that of its turn, and of the message that it becomes. */
export type QueuedMessage = KeptMessage & {
  readonly id: string;
  readonly isSteered: boolean;
  readonly options?: RunOptions;
};
