import type { InferenceClient } from '@vitrine/core';

/** A model that the proxy serves. */
export type ProxyModel = {
  /** `provider:model` */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly provider: string;
  readonly client: InferenceClient;
};
