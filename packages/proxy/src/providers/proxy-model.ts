import type { InferenceClient } from '@vitrine/core';

/** A model that the proxy serves. */
export type ProxyModel = {
  /** `provider:model` */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly provider: string;
  readonly client: InferenceClient;
  /**
   * Fields of `providerMetadata` that go back to the provider, below the name that it gives its metadata; `*` is any
   * name. Default: what the known providers sign their thoughts with.
   */
  readonly metadataFields?: Readonly<Record<string, readonly string[]>>;
};
