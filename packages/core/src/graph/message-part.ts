import type { JsonObject, JsonValue } from '../kit/json.ts';

export type TextPart = {
  readonly type: 'text';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
};
export type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerMetadata?: JsonObject;
};
export type ToolCallPart = {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** What a provider wants back with the call in later requests, e.g. Gemini's thought signature. */
  readonly providerMetadata?: JsonObject;
};
export type ToolResultPart = {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: JsonValue;
  readonly isError: boolean;
};
/** A file, inline as base64 `data` or by `url`. */
export type FilePart = {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly filename: string | null;
};
/** Something the model cites. */
export type SourcePart = {
  readonly type: 'source';
  readonly id: string;
  readonly url: string | null;
  readonly title: string | null;
};
export type MessagePart = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | FilePart | SourcePart;
