import * as errors from '../../kit/errors.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { Message } from '../message.ts';
import type { SentRange, SentRequest } from '../types.ts';
import { decodeSettings } from './decode-settings.ts';
import { messagesOf } from './message-table.ts';
import type { EncodedSent, EncodedSentRange } from './schema.ts';

type Tables = {
  readonly table: readonly Message[];
  readonly texts: readonly (readonly [string, JsonValue])[];
  readonly warn: (path: string, what: string) => void;
};

/**
 * Decodes a request. @throws AgentError `state-invalid` when it names a message or text that the document does not
 * hold.
 */
export function decodeSent(encoded: EncodedSent, tables: Tables, path: string): SentRequest {
  const { inferenceId, model = null, toolChoice = 'auto', responseFormat } = encoded;
  const text = (at: number): string => found(tables.texts[at]?.[0], `${path}.prompt`, `text ${at}`);
  const range = (entry: EncodedSentRange): SentRange => decodeRange(entry, tables, path);
  return {
    inferenceId,
    model,
    settings: decodeSettings(encoded.settings, tables, `${path}.settings`),
    toolChoice,
    prompt: text(encoded.prompt),
    tools: text(encoded.tools),
    responseFormat: responseFormat === undefined ? null : text(responseFormat),
    messages: (encoded.messages ?? []).map(range),
    ...(encoded.tracesOf === undefined ? {} : { tracesOf: encoded.tracesOf }),
    ...(encoded.isCharged === undefined ? {} : { isCharged: encoded.isCharged }),
    extra: messagesOf(tables.table, encoded.extra ?? [], `${path}.extra`),
    omitted: (encoded.omitted ?? []).map((entry) => ({ range: range(entry.range), reason: entry.reason })),
  };
}

function decodeRange(
  [section, first, last, count]: EncodedSentRange,
  { table }: Tables,
  path: string,
): SentRange {
  const id = (at: number | string): string =>
    typeof at === 'string' ? at : found(table[at]?.id, `${path}.messages`, `message ${at}`);
  return { section, first: id(first), last: id(last), count };
}

function found(value: string | undefined, path: string, what: string): string {
  if (value !== undefined) return value;
  throw errors.stateInvalid({ path, what: `there is no ${what}` });
}
