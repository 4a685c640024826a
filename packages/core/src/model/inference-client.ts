import type { InferenceResponse } from '../graph/inference-response.ts';
import type { ModelPrice, ResponseFormat } from '../graph/llm-config.ts';
import type { ToolChoice } from '../graph/types.ts';
import type { ReportedUsage } from '../graph/usage-of-call.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import type { FilePart, Message, SourcePart, ToolCallPart, ToolOutcome } from '../graph/message.ts';

/** The description of a tool for the model. */
export type ToolDescription = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
};

/** A model request: the wire format of `POST /v1/inference`, version 1. */
export type InferenceRequest = {
  /** The model's id; null leaves the choice to the client, or to the proxy behind it. */
  readonly model: string | null;
  /** The messages, with the system prompt first. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly toolChoice: ToolChoice;
  readonly responseFormat: ResponseFormat | null;
  readonly settings: JsonObject;
  /**
   * The parts of the request that the next one will repeat, for the prompt cache of a provider: up to four borders in their
   * order, each the end of a message, or of one of its parts, and a key that is the same for all requests of a conversation
   * (null for none). Clients set it; without it nothing is marked.
   */
  readonly cache?: {
    readonly key: string | null;
    readonly borders: readonly { readonly message: number; readonly part?: number }[];
  };
};

type DeltaOrigin = {
  /** The provider's id of the growing part; a new id begins a part. Absent: the former part continues. */
  readonly partId?: string;
  /** Metadata that the provider needs back with the part in later requests; it may come with an empty delta. */
  readonly providerMetadata?: JsonObject;
};

/** The wire format of the proxy, one event per server-sent `data:`. */
export type InferenceEvent =
  | { readonly type: 'start'; readonly id: string | null; readonly model: string | null }
  | ({ readonly type: 'switch' } & NonNullable<InferenceResponse['switches']>[number])
  | ({ readonly type: 'text-delta'; readonly delta: string } & DeltaOrigin)
  | ({ readonly type: 'reasoning-delta'; readonly delta: string } & DeltaOrigin)
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-call-delta'; readonly toolCallId: string; readonly delta: string }
  | Omit<ToolCallPart, 'providerCallId'>
  /** The result of a call of this answer that ran elsewhere; that of a failed one is the text of its error. */
  | {
      readonly type: 'tool-elsewhere';
      readonly toolCallId: string;
      readonly outcome: ToolOutcome;
      readonly result: JsonValue;
    }
  | Omit<FilePart, 'blob'>
  | SourcePart
  /** The reported usage has null for a missing figure, which the loop then estimates. */
  | ({ readonly type: 'finish'; readonly usage: ReportedUsage } & Pick<
      InferenceResponse,
      'finishReason' | 'explanation' | 'skippedFrames' | 'unsupportedSettings'
    >)
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
      /** Milliseconds that the upstream asks to wait. */
      readonly retryAfterMs: number | null;
      /** The HTTP status of an upstream that refused the call or failed. Absent: it gave none. */
      readonly status?: number;
      /**
       * True when the answer was ended because nobody read it, as on a locked phone. The call is made again, although a
       * part of the answer came. Absent: false.
       */
      readonly wasUnread?: true;
    };

/** Options of a call besides the request. */
export type InferenceCall = {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Id of the call. The same id for the same request asks for the same answer, also after a reload. */
  readonly inferenceId?: string;
  /** Id of the agent that asks, the same for all its calls: the thread of a backend that keeps conversations. */
  readonly agentId?: string;
  /** Called with the original error before it becomes an event that may be shown; for logs. It may hold secrets. */
  readonly onError?: (error: unknown) => void;
};

/**
 * A client that answers requests with a stream of events. A stream that ends without `finish` or `error` counts as
 * broken.
 */
export type InferenceClient = {
  readonly stream: (request: InferenceRequest, options: InferenceCall) => AsyncIterable<InferenceEvent>;
  /**
   * True when a call with the id of an interrupted one continues its answer, which is then paid once. Default: false, so
   * that a resumed run charges the interrupted call before it makes another one.
   */
  readonly continuesAnswers?: boolean;
  /**
   * `once` for a client behind which tools run with effects, such as the agent of a server: a fork asks it only when a
   * person lets it. Default: a call changes nothing outside.
   */
  readonly effects?: 'once';
  /** Id of the model that answers a request without one, for prices and logs. Default: unknown. */
  readonly defaultModel?: string;
  /**
   * Resolves with the media types of the files that a model takes, such as `image/png` and `text/*`; null when they are
   * unknown. A null model is the client's default. Message boxes offer these files only. Default: unknown.
   */
  readonly accepts?: (model: string | null) => Promise<readonly string[] | null>;
  /**
   * Resolves with the price of a model, or with null when it is unknown; a null model is the client's default. It is
   * asked before the first call of a run whose budget limits money and whose application gives no price. Default:
   * prices are unknown.
   */
  readonly price?: (model: string | null) => Promise<ModelPrice | null>;
  /**
   * Resolves with the ids of the models that can be asked instead of a model; a null model is the client's default.
   * Experiments try some of them. Default: none are known.
   */
  readonly otherModels?: (model: string | null) => Promise<readonly string[]>;
};
