import type { InferenceRequest, JsonObject, Message, MessagePart } from '@vitrine/core';
import type { ProxyModel } from '../providers/proxy-model.ts';
import type { RequestLimits } from './limits.ts';
import { metadataFields, type MetadataFields, narrowMetadata } from './provider-metadata.ts';

/**
 * The request as the model may get it: with the metadata that the provider needs back and settings within the limits.
 * An answer without any other limit has at most `usualOutput` tokens; null leaves it to the model.
 */
export function narrowRequest(
  request: InferenceRequest,
  model: ProxyModel,
  { maxOutputTokens }: Pick<RequestLimits, 'maxOutputTokens'>,
  usualOutput: number | null,
): InferenceRequest {
  const fields = model.metadataFields ?? metadataFields(model.provider);
  return {
    ...request,
    model: model.id,
    messages: request.messages.map((message) => narrowMessage(message, fields)),
    settings: narrowSettings(request.settings, model.settings, { most: maxOutputTokens, usual: usualOutput }),
  };
}

function narrowMessage(message: Message, fields: MetadataFields): Message {
  return { ...message, parts: message.parts.map((part) => narrowPart(part, fields)) };
}

function narrowPart(part: MessagePart, fields: MetadataFields): MessagePart {
  if (!('providerMetadata' in part)) return part;
  const { providerMetadata, ...rest } = part;
  const kept = narrowMetadata(providerMetadata, fields);
  return kept === undefined ? rest : { ...rest, providerMetadata: kept };
}

function narrowSettings(
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
