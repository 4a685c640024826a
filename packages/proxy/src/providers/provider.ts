import type { LanguageModel } from '@vitrine/ai-sdk';
import type { JsonObject } from '@vitrine/core';
import type { FrameReader } from './answer-frames.ts';
import type { ProxyModel } from './proxy-model.ts';

export type ProviderSettings = {
  readonly apiKey?: string;
  readonly baseURL?: string;
  /** The name of a gateway, for its own errors and metadata. */
  readonly name?: string;
  /**
   * `tag` for a server that leaves thoughts in tags like `<think>` at the start of the text, `open` for one that leaves
   * only the last tag, `off` for one that leaves none.
   */
  readonly think?: string;
  /** The media types of the files that its models take, comma-separated. */
  readonly accepts?: string;
  /** Sends the requests, and follows no redirects. */
  readonly fetch?: typeof fetch;
};

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
  /** True for a server whose models are its own: it is asked for them, and `defaults` hold while it gives none. */
  readonly listsModels?: boolean;
  /** Names of its models that follow a reasoning level; absent when unknown. */
  readonly thinkers?: RegExp;
  /** Tokens that its package adds for a reasoning level of a model beyond the limit of an answer; see {@link ProxyModel}. */
  readonly thinkingTokens?: (name: string) => ProxyModel['thinkingTokens'];
  /** Fields of metadata that go back to it; see {@link ProxyModel}. Default: those of `guard/narrow-request.ts`. */
  readonly metadataFields?: ProxyModel['metadataFields'];
  /** The path of its list of models below `baseURL`, for a caller with a key; the call costs nothing. */
  readonly list: {
    readonly baseURL: string;
    readonly query?: string;
    readonly headers: (apiKey: string) => Readonly<Record<string, string>>;
  };
  /** The accepted files of its models, where they are a setting. */
  readonly accepts?: (settings: ProviderSettings) => readonly string[] | undefined;
  /** Creates the reader of each answer in its protocol, which may look at the body of the request. */
  readonly frames: (settings: ProviderSettings) => (request: () => JsonObject) => FrameReader;
  /** Returns its models by name, without network access. */
  readonly connect: (settings: ProviderSettings) => (name: string) => LanguageModel;
};
