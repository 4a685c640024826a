import type { InferenceRequest, JsonObject, Message, MessagePart } from '@vitrine/core';
import type { ProxyModel } from '../providers/proxy-model.ts';
import type { RequestLimits } from './limits.ts';
import { metadataFields, type MetadataFields, narrowMetadata } from './provider-metadata.ts';

/** The request as the model may get it: metadata that it wants back and no other, settings within the limits. */
export function narrowRequest(
  request: InferenceRequest,
  model: ProxyModel,
  limits: Pick<RequestLimits, 'maxOutputTokens'>,
): InferenceRequest {
  const fields = model.metadataFields ?? metadataFields(model.provider);
  return {
    ...request,
    model: model.id,
    messages: request.messages.map((message) => narrowMessage(message, fields)),
    settings: narrowSettings(request.settings, model.settings, limits.maxOutputTokens),
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
  usual: JsonObject | undefined,
  most: number | null,
): JsonObject {
  const asked = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  const set: JsonObject = { ...usual, ...asked };
  if (most === null) return set;
  const wanted = set['maxOutputTokens'];
  return { ...set, maxOutputTokens: typeof wanted === 'number' ? Math.min(wanted, most) : most };
}
