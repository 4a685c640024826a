import type { JsonObject } from '@vitrine/core';

/** A call of a tool that was offered. */
export type ReplyToolCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
};

/** The text and calls that the offline model decided on. */
export type Reply = {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCalls: readonly ReplyToolCall[];
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } | null;
  /** The reply to a retry of a failed request; null for a lasting error. */
  readonly whenRetried: Reply | null;
};

/** A reply with the given fields and nothing else. */
export function reply(init: Partial<Reply>): Reply {
  return { reasoning: '', text: '', toolCalls: [], error: null, whenRetried: null, ...init };
}
