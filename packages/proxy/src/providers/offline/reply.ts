import type { JsonObject } from '@vitrine/core';

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
};

export function reply(init: Partial<Reply>): Reply {
  return { reasoning: '', text: '', toolCalls: [], error: null, ...init };
}
