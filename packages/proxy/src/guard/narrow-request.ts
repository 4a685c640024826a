import type { InferenceRequest, JsonObject, MessagePart } from '@vitrine/core';
import type { ProxyModel } from '../providers/proxy-model.ts';
import type { RequestLimits } from './limits.ts';

/** The request as the model may get it, with at most `usualOutput` tokens without any other limit; null is none. */
export function narrowRequest(
  request: InferenceRequest,
  model: ProxyModel,
  { maxOutputTokens }: Pick<RequestLimits, 'maxOutputTokens'>,
  usualOutput: number | null,
): InferenceRequest {
  const fields = model.metadataFields ?? metadataFields(model);
  return {
    ...request,
    model: model.id,
    messages: request.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => narrowPart(part, fields)),
    })),
    settings: narrowSettings(request.settings, model.settings, { most: maxOutputTokens, usual: usualOutput }),
  };
}

function narrowPart(part: MessagePart, fields: MetadataFields): MessagePart {
  if (!('providerMetadata' in part)) return part;
  const { providerMetadata, ...rest } = part;
  const kept = narrowMetadata(providerMetadata, fields);
  return kept === undefined ? rest : { ...rest, providerMetadata: kept };
}

/** Settings with their defaults and at most `most` output tokens, or `usual` without any other limit; null is none. */
export function narrowSettings(
  settings: JsonObject,
  defaults: JsonObject | undefined,
  { most, usual }: { readonly most: number | null; readonly usual: number | null },
): JsonObject {
  const asked = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  const set: JsonObject = { ...defaults, ...asked };
  const wanted = set['maxOutputTokens'];
  const allowed = typeof wanted === 'number' ? wanted : (most ?? usual);
  if (allowed === null) return set;
  return { ...set, maxOutputTokens: Math.min(allowed, most ?? Infinity) };
}

/** Fields that go back to a provider, by the name under which it gives its metadata; `*` is any name. */
type MetadataFields = Readonly<Record<string, readonly string[]>>;

/**
 * The metadata that a provider needs back: signatures of thoughts, which it verifies. Pages must not choose others:
 * some name addresses to fetch, and ids of OpenAI name items that it may have stored for others.
 */
const needed = {
  openai: ['reasoningEncryptedContent', 'phase'],
  anthropic: ['signature', 'redactedData'],
  google: ['thoughtSignature'],
} satisfies MetadataFields;

const fieldsOfProvider: Readonly<Record<string, MetadataFields>> = {
  anthropic: { anthropic: needed.anthropic },
  google: { google: needed.google },
  openai: { openai: needed.openai },
  // The signature stands under the name of the gateway; fields below openaiCompatible would be merged into the body. What
  // the other providers signed goes back to them alone.
  'openai-compatible': { openaiCompatible: [], openai: [], anthropic: [], google: [], '*': needed.google },
  demo: {},
};

/** The fields that go back to the provider of a model. A gateway may have the name of another provider. */
function metadataFields({ id, provider }: ProxyModel): MetadataFields {
  // A model that an application made itself may be of any provider.
  if (!Object.hasOwn(fieldsOfProvider, provider)) return needed;
  const fields = fieldsOfProvider[provider] ?? {};
  const [prefix = ''] = id.split(':');
  return fields['*'] === undefined ? fields : { ...fields, [prefix]: fields['*'] };
}

/** The allowed text fields of a part's metadata; undefined when none is left. */
function narrowMetadata(metadata: JsonObject | undefined, fields: MetadataFields): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const names = Object.entries(metadata).flatMap(([name, given]) => {
    const kept = fieldsBelow(name, fields).flatMap((field) => {
      const value = typeof given === 'object' && given !== null ? (given as JsonObject)[field] : undefined;
      return typeof value === 'string' ? [[field, value] as const] : [];
    });
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)] as const];
  });
  return names.length === 0 ? undefined : Object.fromEntries(names);
}

function fieldsBelow(name: string, fields: MetadataFields): readonly string[] {
  // The model that made a thought, which is looked at before the request is sent.
  if (name === 'vitrine') return ['model'];
  return (Object.hasOwn(fields, name) ? fields[name] : fields['*']) ?? [];
}
