import type { FilePart, Message } from '../../graph/message.ts';
import type { JsonObject } from '../../kit/json.ts';

/** A message to send. It needs text, a file or data. */
export type OutgoingMessage = {
  readonly text: string;
  /** A `File` or `Blob` is stored in the session's store, or inline in the message when the store keeps no files. */
  readonly files?: readonly (FilePart | Blob)[];
  /** Data parts by name. */
  readonly data?: JsonObject;
  readonly metadata?: JsonObject;
};

/** Options of a run, apart from the agent itself. */
export type TurnOptions = {
  /** The model of this turn only. */
  readonly model?: string;
};

/** A sent message whose files are stored. */
export type KeptMessage = Omit<OutgoingMessage, 'files'> & { readonly files?: readonly FilePart[] };

/** The message with its stored files. A message that came through the mailbox has only those. */
export function keptMessage({ files, ...message }: OutgoingMessage): KeptMessage {
  if (files === undefined) return message;
  return { ...message, files: files.filter((file): file is FilePart => !(file instanceof Blob)) };
}

/** A sent message that has not begun. Its id is that of its turn and of the message that it becomes. */
export type QueuedMessage = KeptMessage & {
  readonly id: string;
  readonly isSteered: boolean;
  readonly options?: TurnOptions;
  /** The id of the principal who sent it; absent in a page. */
  readonly by?: string;
};

/** Creates the sent form of a user message. */
export function toQueuedMessage({ id, parts, metadata }: Message): QueuedMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const files = parts.filter((part) => part.type === 'file');
  const data = Object.fromEntries(
    parts.flatMap((part) => (part.type === 'data' ? [[part.name, part.data] as const] : [])),
  );
  return { id, text: texts.join('\n'), files, data, metadata, isSteered: false };
}
