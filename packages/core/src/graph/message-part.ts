import type { JsonObject, JsonValue } from '../kit/json.ts';

/** What a provider wants back with a part in later requests, by provider, e.g. a signature of its reasoning. */
type WithProviderMetadata = { readonly providerMetadata?: JsonObject };

/** Text, as the model or a person wrote it. */
export type TextPart = WithProviderMetadata & { readonly type: 'text'; readonly text: string };
/** What the model thought before it answered, as far as its provider shows it. */
export type ReasoningPart = WithProviderMetadata & { readonly type: 'reasoning'; readonly text: string };
/** Something of the application in a message, e.g. a chosen row; models are not shown it. */
export type DataPart = { readonly type: 'data'; readonly name: string; readonly data: JsonValue };
/** A call that the model asks for. */
export type ToolCallPart = WithProviderMetadata & {
  readonly type: 'tool-call';
  /** Our id, unique in the session: the id of its `ToolExecution`. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** The id under which the provider knows the call; null when it gave none, or one that was taken. */
  readonly providerCallId: string | null;
};
/** How a call ended. */
export type ToolOutcome = 'completed' | 'failed' | 'blocked' | 'rejected' | 'interrupted' | 'stopped';
/** The result of a call, as the model is told it. */
export type ToolResultPart = {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: JsonValue;
  readonly outcome: ToolOutcome;
  /** How long the tool ran, in milliseconds; null when it did not. */
  readonly durationMs: number | null;
};
/** Names bytes that a session store keeps beside its messages. */
export type BlobReference = {
  /** SHA-256 of the bytes: 64 hexadecimal digits. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
};
/** A file, inline as base64 `data`, by `url`, or as a `blob` of the session store. */
export type FilePart = WithProviderMetadata & {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly blob?: BlobReference;
  readonly filename: string | null;
};
/** Something the model cites. */
export type SourcePart = {
  readonly type: 'source';
  readonly id: string;
  readonly url: string | null;
  readonly title: string | null;
};
/** What a message is made of; tell the parts apart by `type`. */
export type MessagePart =
  TextPart | ReasoningPart | DataPart | ToolCallPart | ToolResultPart | FilePart | SourcePart;
