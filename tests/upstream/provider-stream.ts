/** A wire format that the proxy speaks, by the id of its provider. */
export type Wire = 'openai' | 'openai-compatible' | 'anthropic' | 'google';

/** An answer as a provider streams it, and what has to come of it. */
export type ProviderStream = {
  readonly name: string;
  readonly wire: Wire;
  /** The payload of each server-sent event. */
  readonly chunks: readonly string[];
  readonly expected: ExpectedAnswer;
};

/** The content of a stream. A missing field means none of it. */
export type ExpectedAnswer = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly reasoningTokens?: number;
  readonly finishReason?: string;
  /** The provider's explanation for a blocked answer. */
  readonly explanation?: string;
  /** The stream ends with this error. */
  readonly errorCode?: string;
};
