import type { FinishReason } from '../graph/inference-response.ts';
import type { ResponseFormat } from '../graph/response-format.ts';
import type { ToolChoice } from '../graph/types.ts';
import type { Usage } from '../graph/usage.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { Message } from '../graph/message.ts';

/** A tool as the model is told of it. */
export type ToolDescription = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
};

/** What a model is asked: the wire format of `POST /v1/inference`, version 1. */
export type InferenceRequest = {
  /** Null leaves the choice to the client, or to the proxy behind it. */
  readonly model: string | null;
  /** The system prompt first. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly toolChoice: ToolChoice;
  readonly responseFormat: ResponseFormat | null;
  readonly settings: JsonObject;
};

type DeltaOrigin = {
  /** The provider's id of the part that grows; another id begins another part. Absent: the part before goes on. */
  readonly partId?: string;
  /** What the provider wants back with the part in later requests; it may come with an empty delta. */
  readonly providerMetadata?: JsonObject;
};

/** The wire format of the proxy, one event per server-sent `data:`. */
export type InferenceEvent =
  | { readonly type: 'start'; readonly id: string | null; readonly model: string | null }
  | ({ readonly type: 'text-delta'; readonly delta: string } & DeltaOrigin)
  | ({ readonly type: 'reasoning-delta'; readonly delta: string } & DeltaOrigin)
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-call-delta'; readonly toolCallId: string; readonly delta: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly providerMetadata?: JsonObject;
    }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      readonly data?: string;
      readonly url?: string;
      readonly filename: string | null;
      readonly providerMetadata?: JsonObject;
    }
  | {
      readonly type: 'source';
      readonly id: string;
      readonly url: string | null;
      readonly title: string | null;
    }
  | {
      readonly type: 'finish';
      readonly finishReason: FinishReason;
      /** In the provider's own words, why an answer ended that was filtered, refused or broken off: up to 300 characters of plain text. */
      readonly explanation?: string;
      readonly usage: Usage;
    }
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
      /** How long the upstream asks to wait, in milliseconds. */
      readonly retryAfterMs: number | null;
    };

/** What a client is told of a call besides the request. */
export type InferenceCall = {
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Names the call: the same id for the same request asks for the same answer, which may have begun before a reload. */
  readonly inferenceId?: string;
  /** Told what failed, as it was thrown, before it becomes an event that may be shown: for logs. It may hold secrets. */
  readonly onError?: (error: unknown) => void;
};

/** Anything that answers requests as a stream of events. A stream that ends without `finish` or `error` counts as broken. */
export type InferenceClient = {
  readonly stream: (request: InferenceRequest, options: InferenceCall) => AsyncIterable<InferenceEvent>;
};
