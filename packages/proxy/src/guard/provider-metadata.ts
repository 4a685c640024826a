import type { JsonObject } from '@vitrine/core';

/** The fields that go back to a provider, below the name that it gives its metadata; `*` is any name. */
export type MetadataFields = Readonly<Record<string, readonly string[]>>;

/**
 * What each provider wants back with a part of its answer: signatures of thoughts, which it checks itself. Everything
 * else in there is an option of the provider's, and options are not for pages to choose: some name addresses to fetch.
 */
const fieldsOfProvider: Readonly<Record<string, MetadataFields>> = {
  anthropic: { anthropic: ['signature', 'redactedData'] },
  google: { google: ['thoughtSignature'] },
  openai: {},
  // Under the name that the gateway was given; what stands below openaiCompatible becomes a part of the body as it is.
  'openai-compatible': { openaiCompatible: [], '*': ['thoughtSignature'] },
  demo: {},
};

/** For models that an application made itself: what any of the providers above wants back. */
const fieldsOfOthers: MetadataFields = {
  anthropic: ['signature', 'redactedData'],
  google: ['thoughtSignature'],
};

/** The fields that go back to a provider. */
export function metadataFields(provider: string): MetadataFields {
  return Object.hasOwn(fieldsOfProvider, provider) ? (fieldsOfProvider[provider] ?? {}) : fieldsOfOthers;
}

/** What of a part's metadata goes back: these fields, where they are texts; undefined when none is left. */
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
