import type { StopReason } from '@vitrine/core/internal/graph/stop-reason';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';

/** A part of a message of AG-UI: a text, or a file by its bytes or its address. */
export type AgUiContentPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio' | 'video' | 'document';
      readonly source:
        | { readonly type: 'data'; readonly value: string; readonly mimeType: string }
        | { readonly type: 'url'; readonly value: string; readonly mimeType?: string };
    };

/** A tool call in a message of AG-UI; the arguments are the text of a JSON. */
export type AgUiToolCall = {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
};

type Named = { readonly id: string; readonly metadata?: JsonObject; readonly subagentRunId?: string };

/** A message of AG-UI 1.0 in the shape that this bridge writes; 0.0.59 reads it too. */
export type AgUiMessage =
  | (Named & { readonly role: 'system'; readonly content: string })
  | (Named & { readonly role: 'user'; readonly content: string | readonly AgUiContentPart[] })
  | (Named & { readonly role: 'reasoning'; readonly content: string })
  | (Named & {
      readonly role: 'assistant';
      readonly content?: string;
      readonly toolCalls?: readonly AgUiToolCall[];
    })
  | (Named & {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly error?: string;
    });

/** The answer to an interrupt. */
export type AgUiResume = {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: JsonValue;
};

/** The request for an answer in AG-UI. */
export type AgUiRunInput = {
  readonly threadId: string;
  readonly runId: string;
  readonly state: JsonValue;
  readonly messages: readonly AgUiMessage[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
  }[];
  readonly context: readonly { readonly description: string; readonly value: string }[];
  readonly forwardedProps: JsonObject;
  readonly resume?: readonly AgUiResume[];
};

/** A question of a run that waits for a person. */
export type AgUiInterrupt = {
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
  readonly toolCallId?: string;
  readonly responseSchema?: JsonObject;
  readonly subagentRunId?: string;
};

/** The end of a run that has not failed. */
export type AgUiOutcome =
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'cancelled' };

/** The tokens of the calls of one model. */
export type AgUiUsage = {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
};

type Text = { readonly messageId: string };
type Call = { readonly toolCallId: string };

export type AgUiAgentEvent =
  | ({ readonly type: 'TEXT_MESSAGE_START'; readonly role: 'assistant' } & Text)
  | ({ readonly type: 'REASONING_MESSAGE_START'; readonly role: 'reasoning' } & Text)
  | ({
      readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT';
      readonly delta: string;
    } & Text)
  | ({
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END';
    } & Text)
  | ({
      readonly type: 'TOOL_CALL_START';
      readonly toolCallName: string;
      readonly parentMessageId: string;
    } & Call)
  | ({ readonly type: 'TOOL_CALL_ARGS'; readonly delta: string } & Call)
  | ({ readonly type: 'TOOL_CALL_END' } & Call)
  | ({
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly content: string;
      readonly role: 'tool';
      readonly metadata?: JsonObject;
    } & Call)
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: JsonValue };

/** An event of AG-UI 1.0 in the shape that this bridge writes; 0.0.59 reads it too. */
export type AgUiEvent =
  | {
      readonly type: 'RUN_STARTED';
      readonly threadId: string;
      readonly runId: string;
      readonly protocolVersion?: string;
    }
  | {
      readonly type: 'RUN_FINISHED';
      readonly threadId: string;
      readonly runId: string;
      /** Absent for a stopped run, where the client is older than that word. */
      readonly outcome?: AgUiOutcome;
      /** The limit that ended the run; absent for a natural end. */
      readonly result?: { readonly stopReason: StopReason };
      readonly usage?: readonly AgUiUsage[];
    }
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code: string;
      readonly usage?: readonly AgUiUsage[];
    }
  | (AgUiAgentEvent & { readonly subagentRunId?: string })
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonValue }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | {
      readonly type: 'SUBAGENT_STARTED';
      readonly subagentRunId: string;
      readonly name: string;
      readonly parentToolCallId: string;
      readonly parentSubagentRunId?: string;
    }
  | {
      readonly type: 'SUBAGENT_FINISHED';
      readonly subagentRunId: string;
      readonly outcome?: { readonly type: 'success' | 'suspended' };
    }
  | { readonly type: 'SUBAGENT_ERROR'; readonly subagentRunId: string; readonly message: string };
