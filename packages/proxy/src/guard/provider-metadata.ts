import type { JsonObject } from '@vitrine/core';

/** Fields that go back to a provider, by the name under which it gives its metadata; `*` is any name. */
export type MetadataFields = Readonly<Record<string, readonly string[]>>;

/**
 * The metadata that each provider needs back with a part of its answer: signatures of thoughts, which it verifies
 * itself. All other metadata are provider options, which pages must not choose, because some name addresses to fetch,
 * and the ids of OpenAI name items that it may have stored for others.
 */
const fieldsOfProvider: Readonly<Record<string, MetadataFields>> = {
  anthropic: { anthropic: ['signature', 'redactedData'] },
  google: { google: ['thoughtSignature'] },
  openai: { openai: ['reasoningEncryptedContent', 'phase'] },
  // The signature stands under the name of the gateway; fields below openaiCompatible would be merged into the body.
  'openai-compatible': { openaiCompatible: [], '*': ['thoughtSignature'] },
  demo: {},
};

/** Fields for models that an application made itself: all that any of the providers above needs back. */
const fieldsOfOthers: MetadataFields = {
  openai: ['reasoningEncryptedContent', 'phase'],
  anthropic: ['signature', 'redactedData'],
  google: ['thoughtSignature'],
};

/** The fields that go back to a provider. */
export function metadataFields(provider: string): MetadataFields {
  return Object.hasOwn(fieldsOfProvider, provider) ? (fieldsOfProvider[provider] ?? {}) : fieldsOfOthers;
}

/** The allowed text fields of a part's metadata; undefined when none is left. */
export function narrowMetadata(
  metadata: JsonObject | undefined,
  fields: MetadataFields,
): JsonObject | undefined {
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
  return (Object.hasOwn(fields, name) ? fields[name] : fields['*']) ?? [];
}
