import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';

/** The used part of an AI SDK language model, by structure: core depends on no AI SDK package. */
export type LanguageModel = {
  readonly specificationVersion?: string;
  readonly provider: string;
  readonly modelId: string;
  // The real parameter and result types differ between the versions in ways that do not matter here.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly doStream: (options: any) => PromiseLike<{ stream: ReadableStream<any> }>;
};

type ProviderOptions = { readonly [provider: string]: JsonObject };

export type ModelPart =
  | { type: 'text'; text: string; providerOptions?: ProviderOptions }
  | { type: 'reasoning'; text: string; providerOptions?: ProviderOptions }
  | { type: 'file'; data: unknown; mediaType: string; filename?: string; providerOptions?: ProviderOptions }
  | {
      type: 'tool-call';
      toolCallId: string;
      toolName: string;
      input: JsonValue;
      providerOptions?: ProviderOptions;
    }
  | {
      type: 'tool-result';
      toolCallId: string;
      toolName: string;
      output: ModelToolOutput;
      providerOptions?: ProviderOptions;
    };

export type ModelToolOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'json'; value: JsonValue }
  | { type: 'content'; value: ModelPart[] };

export type ModelMessage =
  | { role: 'system'; content: string; providerOptions?: ProviderOptions }
  | { role: 'user' | 'assistant' | 'tool'; content: ModelPart[] };

type TokenCount = number | undefined;

export type ModelStreamPart =
  /** Version 2 tells `unsupported-setting` with the name as `setting`. */
  | { type: 'stream-start'; warnings?: readonly { type: string; feature?: string; setting?: string }[] }
  | { type: 'tool-input-end' | 'raw' | 'custom' }
  | { type: 'response-metadata'; id?: string; modelId?: string }
  | { type: 'text-delta' | 'reasoning-delta'; id?: string; delta: string; providerMetadata?: ProviderOptions }
  | {
      type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
      id?: string;
      providerMetadata?: ProviderOptions;
    }
  | { type: 'tool-input-start'; id: string; toolName: string }
  | { type: 'tool-input-delta'; id: string; delta: string }
  | {
      type: 'tool-call';
      toolCallId: string;
      toolName: string;
      input: string;
      providerMetadata?: ProviderOptions;
    }
  | { type: 'file'; mediaType: string; data: unknown; providerMetadata?: ProviderOptions }
  | { type: 'source'; id: string; url?: string; title?: string }
  | {
      type: 'finish';
      finishReason: string | { unified: string; raw?: string | undefined };
      providerMetadata?: ProviderOptions;
      usage: {
        inputTokens?: { total?: TokenCount; cacheRead?: TokenCount; cacheWrite?: TokenCount };
        outputTokens?: { total?: TokenCount; reasoning?: TokenCount };
        raw?: { [key: string]: unknown };
      };
    }
  | { type: 'error'; error: unknown };
