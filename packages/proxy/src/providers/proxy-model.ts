import type { InferenceClient, JsonObject, ModelPrice } from '@vitrine/core';

/** How much a model is to think before it answers, as `settings.reasoning` of a request says it. */
export type ReasoningLevel = 'off' | 'low' | 'medium' | 'high';

/** A model that the proxy serves. */
export type ProxyModel = {
  /** `provider:model` */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly provider: string;
  readonly client: InferenceClient;
  /** How much it can be told to think, for pages that offer a choice. Default: nothing is offered. */
  readonly reasoning?: readonly ReasoningLevel[];
  /** Settings of requests that do not say them themselves, e.g. `{ reasoning: 'low' }`. Default: none. */
  readonly settings?: JsonObject;
  /** What its tokens cost, for the log, `onStreamEnd` and `costOf`. Default: not known. */
  readonly price?: ModelPrice;
  /**
   * Fields of `providerMetadata` that go back to the provider, below the name that it gives its metadata; `*` is any
   * name. Default: what the known providers sign their thoughts with.
   */
  readonly metadataFields?: Readonly<Record<string, readonly string[]>>;
};
