import type { Attributes } from '@opentelemetry/api';
import type { InferenceResponse } from '@vitrine/core/internal/graph/inference-response';
import type { ReportedUsage } from '@vitrine/core/internal/graph/usage-of-call';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';

/**
 * The version of the GenAI semantic conventions that names attributes. They are not stable: up to `1.36` the provider
 * is `gen_ai.system`. Since `1.41` it is `gen_ai.provider.name`, and tokens of caches and of thoughts are counted
 * separately. `genai-0.1` is the first release of the conventions' own repository: it renames the tokens written to a
 * cache, and adds the level of reasoning and the time to the first chunk.
 */
export type GenAiConventions = '1.36' | '1.41' | 'genai-0.1';

/** Attributes whose name depends on the version; one that a version lacks is left out. */
type Names = {
  readonly provider: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  readonly reasoning?: string;
  readonly reasoningLevel?: string;
  readonly isStream?: string;
  readonly firstChunk?: string;
};

const parts = {
  provider: 'gen_ai.provider.name',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  reasoning: 'gen_ai.usage.reasoning.output_tokens',
};

const names: Readonly<Record<GenAiConventions, Names>> = {
  '1.36': { provider: 'gen_ai.system' },
  '1.41': { ...parts, cacheWrite: 'gen_ai.usage.cache_creation.input_tokens' },
  'genai-0.1': {
    ...parts,
    cacheWrite: 'gen_ai.usage.cache_write.input_tokens',
    reasoningLevel: 'gen_ai.request.reasoning.level',
    isStream: 'gen_ai.request.stream',
    firstChunk: 'gen_ai.response.time_to_first_chunk',
  },
};

const providerNames: Readonly<Record<string, string>> = { google: 'gcp.gemini' };

const settingNames: Readonly<Record<string, string>> = {
  maxOutputTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  presencePenalty: 'gen_ai.request.presence_penalty',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  stopSequences: 'gen_ai.request.stop_sequences',
  seed: 'gen_ai.request.seed',
};

/** A model call as its attributes tell it. */
export type TracedCall = {
  /** The id of the model, `provider:model`; null leaves the choice to the client. */
  readonly model: string | null;
  /** The provider. Default: the part of `model` before its first colon. */
  readonly provider?: string;
  readonly settings: JsonObject;
  /** The type of the requested format: `text` or `json`; null for none. */
  readonly outputType: string | null;
};

/** The name of a span of a model call: `chat`, and the provider's name of the model when it is known. */
export function modelSpanName({ model }: Pick<TracedCall, 'model'>): string {
  return model === null ? 'chat' : `chat ${modelName(model)}`;
}

/** The attributes that are known before a model call; none contain message text. */
export function modelCallAttributes(call: TracedCall, conventions: GenAiConventions): Attributes {
  const { model, settings, outputType } = call;
  const { provider: providerName, reasoningLevel, isStream } = names[conventions];
  const provider = call.provider ?? providerOf(model);
  const { reasoning } = settings;
  return {
    'gen_ai.operation.name': 'chat',
    ...(provider === null ? {} : { [providerName]: providerNames[provider] ?? provider }),
    ...(model === null ? {} : { 'gen_ai.request.model': modelName(model) }),
    ...(outputType === null ? {} : { 'gen_ai.output.type': outputType }),
    ...(isStream === undefined ? {} : { [isStream]: true }),
    ...(reasoningLevel !== undefined && typeof reasoning === 'string' ? { [reasoningLevel]: reasoning } : {}),
    ...plainSettings(settings),
  };
}

/** The attributes that an answer adds, as far as they are known. */
export function answerAttributes(
  answer: Partial<Omit<InferenceResponse, 'usage'>> & { readonly usage?: Partial<ReportedUsage> },
  conventions: GenAiConventions,
): Attributes {
  const { id, model, finishReason, usage, firstDeltaMs } = answer;
  const { firstChunk } = names[conventions];
  return {
    'gen_ai.response.id': id ?? undefined,
    'gen_ai.response.model': model ?? undefined,
    ...(finishReason === undefined
      ? {}
      : { 'gen_ai.response.finish_reasons': [finishReason.replaceAll('-', '_')] }),
    ...(firstChunk === undefined || firstDeltaMs == null ? {} : { [firstChunk]: firstDeltaMs / 1000 }),
    ...(usage === undefined ? {} : usageAttributes(usage, conventions)),
  };
}

/** Tokens as attributes; unknown figures are left out. */
export function usageAttributes(usage: Partial<ReportedUsage>, conventions: GenAiConventions): Attributes {
  const { cacheRead, cacheWrite, reasoning } = names[conventions];
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens ?? undefined,
    'gen_ai.usage.output_tokens': usage.outputTokens ?? undefined,
    ...(cacheRead === undefined ? {} : { [cacheRead]: usage.cacheReadTokens }),
    ...(cacheWrite === undefined ? {} : { [cacheWrite]: usage.cacheWriteTokens }),
    ...(reasoning === undefined ? {} : { [reasoning]: usage.reasoningTokens }),
  };
}

/** The provider's name of a model: its id without the provider. */
export function modelName(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

function providerOf(model: string | null): string | null {
  const end = model?.indexOf(':') ?? -1;
  return end > 0 ? (model?.slice(0, end) ?? null) : null;
}

function plainSettings(settings: JsonObject): Attributes {
  const asked = Object.entries(settingNames)
    .map(([name, attribute]) => [attribute, settings[name]] as const)
    .filter(([, value]) => isPlain(value));
  return Object.fromEntries(asked) as Attributes;
}

function isPlain(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}
