import type { JsonObject, JsonValue } from '../kit/json.ts';

/**
 * Metadata that a provider needs back with a part in later requests, by provider, e.g. a signature of its reasoning.
 */
type WithProviderMetadata = { readonly providerMetadata?: JsonObject };

/** Text written by the model or a person. */
export type TextPart = WithProviderMetadata & { readonly type: 'text'; readonly text: string };
/** The reasoning of the model before its answer, as far as its provider shows it. */
export type ReasoningPart = WithProviderMetadata & { readonly type: 'reasoning'; readonly text: string };
/** Data of the application in a message, e.g. a selected row; models do not receive it. */
export type DataPart = { readonly type: 'data'; readonly name: string; readonly data: JsonValue };
/** A tool call requested by the model. */
export type ToolCallPart = WithProviderMetadata & {
  readonly type: 'tool-call';
  /** Our id of the call, unique in the session: the id of its `ToolExecution`. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** The provider's id of the call; null when it gave none, or one already in use. */
  readonly providerCallId: string | null;
};
/** The outcome of a call. */
export type ToolOutcome = 'completed' | 'failed' | 'blocked' | 'rejected' | 'interrupted' | 'stopped';
/** The result of a call in the form that the model receives. */
export type ToolResultPart = {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: JsonValue;
  readonly outcome: ToolOutcome;
  /** Running time of the tool in milliseconds; null when it did not run. */
  readonly durationMs: number | null;
};
/** A reference to bytes that a session store keeps beside its messages. */
export type BlobReference = {
  /** SHA-256 of the bytes: 64 hexadecimal digits. */
  readonly hash: string;
  /** Size in bytes. */
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
/** A source that the model cites. */
export type SourcePart = {
  readonly type: 'source';
  readonly id: string;
  readonly url: string | null;
  readonly title: string | null;
};
/** A part of a message; its `type` tells the kinds apart. */
export type MessagePart =
  TextPart | ReasoningPart | DataPart | ToolCallPart | ToolResultPart | FilePart | SourcePart;
