import type { LanguageModel } from '@vitrine/core/ai-sdk';

/** What a provider is reached with. */
export type ProviderSettings = {
  readonly apiKey?: string;
  readonly baseURL?: string;
  /** Of a gateway, for its own errors and metadata. */
  readonly name?: string;
  /** How requests are sent. */
  readonly fetch?: typeof fetch;
};

/** What a provider is called with, redirects not followed. */
export type ProviderAccess = ProviderSettings & { readonly fetch?: typeof fetch };

/** A provider of models, as a row of the table in `providers.ts`. */
export type Provider = {
  /** The part before the colon in ids of its models. */
  readonly id: string;
  /** The environment variable that holds each setting; `.env.example` lists them all. */
  readonly variables: { readonly [Name in Exclude<keyof ProviderSettings, 'fetch'>]?: string };
  /** The setting without which the provider is not used. */
  readonly requires: 'apiKey' | 'baseURL';
  /** Models that are served when `VITRINE_MODELS` is unset; the first is the default. */
  readonly defaults: readonly string[];
  /** The names of its models that think as much as they are told to; none where that cannot be known. */
  readonly thinkers?: RegExp;
  /** Where its models are listed below `baseURL`, for who has a key: a call that costs nothing. */
  readonly list: {
    readonly baseURL: string;
    readonly query?: string;
    readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
  };
  /** Gives its models by name. Asks nothing of the network. */
  readonly connect: (access: ProviderAccess) => (name: string) => LanguageModel;
};
