import type { InferenceClient, JsonObject, ModelPrice } from '@vitrine/core';

/** The reasoning effort before an answer, as in `settings.reasoning` of a request. */
export type ReasoningLevel = 'off' | 'low' | 'medium' | 'high';

/** A model that the proxy serves. */
export type ProxyModel = {
  /** `provider:model` */
  readonly id: string;
  /** The name for people. */
  readonly name: string;
  readonly provider: string;
  readonly client: InferenceClient;
  /** The reasoning levels that pages may offer. Default: none. */
  readonly reasoning?: readonly ReasoningLevel[];
  /** Settings of requests that do not set them, e.g. `{ reasoning: 'low' }`. Default: none. */
  readonly settings?: JsonObject;
  /**
   * Tokens that a level may use for thoughts beyond `maxOutputTokens`, for quotas of cost. Default: none, for providers
   * whose limit includes thoughts.
   */
  readonly thinkingTokens?: Readonly<Partial<Record<ReasoningLevel, number>>>;
  /** The prices of its tokens, for the log, `onStreamEnd` and `costOf`. Default: unknown. */
  readonly price?: ModelPrice;
  /**
   * Fields of `providerMetadata` that go back to the provider, by the name under which it gives its metadata; `*` is
   * any name. Default: signatures and encrypted thoughts of the known providers.
   */
  readonly metadataFields?: Readonly<Record<string, readonly string[]>>;
};
