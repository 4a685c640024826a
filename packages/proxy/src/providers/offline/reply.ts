import type { JsonObject } from '@vitrine/core';

/** A call of a tool that was offered. */
export type ReplyToolCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
};

/** What the offline model has decided to say and do. */
export type Reply = {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCalls: readonly ReplyToolCall[];
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } | null;
  /** What is said in its place when the same is asked again; null for an error that stays. */
  readonly whenRetried: Reply | null;
};

/** A reply with nothing in it but this. */
export function reply(init: Partial<Reply>): Reply {
  return { reasoning: '', text: '', toolCalls: [], error: null, whenRetried: null, ...init };
}
