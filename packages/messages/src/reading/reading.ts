import type { Env } from '@vitrine/core/internal/graph/env';
import type { MessagePart, MessageRole } from '@vitrine/core/internal/graph/message';
import { isPlainObject, type JsonValue, readJson } from '@vitrine/core/internal/kit/json';
import { toJson } from '@vitrine/core/internal/kit/to-json';

/** An object of a file whose fields are not known yet. */
export type Fields = { readonly [key: string]: unknown };

/** A part of a file that is in none of the messages: its place, its kind, and the reason as a sentence. */
export type LeftPart = { readonly at: string; readonly kind: string; readonly why: string };

/** A message as a reader found it. `assemble` makes messages of it: an answer with results in it becomes several. */
export type FoundMessage = {
  /** The place in the file. */
  readonly at: string;
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
  readonly id?: unknown;
  /** In Unix milliseconds; null when the file does not say it. */
  readonly createdAt?: number | null;
  /** The id of the message before it, in a tree; absent in a list. */
  readonly parentId?: string | null;
  readonly metadata?: Fields;
  /** True for a message that this library wrote, which is kept when it has no parts. */
  readonly isOurs?: boolean;
};

/** A conversation of a file with several. */
export type FoundSession = {
  readonly at: string;
  readonly id: unknown;
  readonly title: unknown;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  /** The id of the last message of the active branch; null for the last message. */
  readonly head: string | null;
  readonly messages: readonly FoundMessage[];
};

/** One import: its list of parts that were left out, and its clock. */
export type Import = {
  readonly env: Env;
  readonly left: LeftPart[];
  /** Notes a part that is left out. Returns the parts that it gives: none. */
  readonly leave: (at: string, kind: unknown, why: string) => readonly [];
};

/** The reader of a list of messages in one shape. */
export type ReadMessages = (
  list: readonly unknown[],
  reading: Import,
  at?: string,
) => readonly FoundMessage[];

/** The reader of a list of conversations in one shape. */
export type ReadSessions = (list: readonly unknown[], reading: Import) => readonly FoundSession[];

/** A new import. */
export function createReading(env: Env): Import {
  const left: LeftPart[] = [];
  return {
    env,
    left,
    leave: (at, kind, why) => {
      left.push({ at, kind: typeof kind === 'string' && kind !== '' ? kind.slice(0, 100) : 'unknown', why });
      return [];
    },
  };
}

/** The reason of a part of a kind that conversations do not have. */
export const noPlace = 'A conversation has no place for a part of this kind.';
/** The reason of a file of which only an id is known. */
export const noBytes = 'Only the id of the file is here; its bytes are with the provider.';

/** The objects of a list, each with its place; other values are left out. */
export function entriesOf(
  list: readonly unknown[],
  { leave }: Import,
  at: string,
  kind = 'message',
): readonly (readonly [Fields, string])[] {
  return list.flatMap((entry, index): (readonly [Fields, string])[] => {
    const place = `${at}[${index}]`;
    if (isPlainObject(entry)) return [[entry, place]];
    leave(place, kind, 'It is no object.');
    return [];
  });
}

/** The fields in which some shape keeps what a message says. */
const saidFields: readonly string[] = [
  'content',
  'text',
  'parts',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
  'refusal',
  'tool_calls',
  'toolCalls',
  'function_call',
  'toolInvocations',
  'experimental_attachments',
  'attachments',
  'files',
  'images',
  'audio',
  'error',
];

/** Leaves out what a message says in a field that the reader of its shape does not know. */
export function leaveOthers(
  message: Fields,
  at: string,
  known: readonly string[],
  { leave }: Import,
): readonly [] {
  for (const name of saidFields) {
    const value = message[name];
    const isAgain = name !== 'content' && value === message['content'];
    if (known.includes(name) || isEmpty(value) || isAgain) continue;
    leave(`${at}.${name}`, name, 'Messages of this shape have no such field.');
  }
  return [];
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  // A row of a database may have an empty list as JSON.
  return value === undefined || value === null || value === '' || value === '[]' || value === false;
}

/**
 * The parts of a content, which is a text or a list. Entries that `read` answers with null have no place here.
 * @param read Gives the parts of an entry with a `type`.
 */
export function partsOf(
  content: unknown,
  at: string,
  reading: Import,
  read: (entry: Fields, at: string) => readonly MessagePart[] | null,
): readonly MessagePart[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    if (typeof content === 'string') return textPart(content);
    if (!isPlainObject(content)) return reading.leave(at, typeof content, 'It is no text and no part.');
    return read(content, at) ?? reading.leave(at, kindOf(content), noPlace);
  }
  return content.flatMap((entry: unknown, index): readonly MessagePart[] => {
    const place = `${at}[${index}]`;
    if (typeof entry === 'string') return textPart(entry);
    if (!isPlainObject(entry)) return reading.leave(place, typeof entry, 'It is no part.');
    return read(entry, place) ?? reading.leave(place, kindOf(entry), noPlace);
  });
}

/** The kind of a part: its type, or its first field where parts are told apart by their fields. */
function kindOf(entry: Fields): unknown {
  return entry['type'] ?? entry['content_type'] ?? Object.keys(entry)[0];
}

/** The id of a call that the file gives none, by its place; `assemble` makes a new id of it. */
export function placeId(at: string): string {
  return `${placePrefix}${at}`;
}

/** The beginning of ids that are places. */
export const placePrefix = 'place:';

/** A text as a part; none for an empty text, and for other values. */
export function textPart(text: unknown, type: 'text' | 'reasoning' = 'text'): readonly MessagePart[] {
  return typeof text === 'string' && text !== '' ? [{ type, text }] : [];
}

/** The texts of a list of parts, joined. Parts without a text are left out and noted. */
export function textIn(content: unknown, at: string, reading: Import): string {
  return partsOf(content, at, reading, ({ text }) => (typeof text === 'string' ? textPart(text) : null))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** The value of a text from a tool: an object or list when the text is one, else the text. */
export function resultValue(text: string): JsonValue {
  const json = /^\s*[[{]/.test(text) ? readJson(text) : null;
  return json?.ok ? json.value : text;
}

/** The arguments of a call: the value of a JSON text, a text that is no JSON, or the value itself. */
export function argumentsOf(given: unknown): JsonValue {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return toJson(given);
  if (given.trim() === '') return {};
  const json = readJson(given);
  return json.ok ? json.value : given;
}

/** A time in Unix milliseconds, from seconds, milliseconds or an ISO text; null for other values. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0) return null;
  // Seconds since 1970 stay below this until the year 5138, and milliseconds have been above since 1973.
  const ms = Math.round(typeof value === 'number' && time < 1e11 ? time * 1000 : time);
  return Number.isSafeInteger(ms) ? ms : null;
}

/** A call; its id and name may be missing. */
export function callPart(call: {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}): MessagePart {
  return {
    type: 'tool-call',
    toolCallId: typeof call.id === 'string' ? call.id : '',
    toolName: typeof call.name === 'string' ? call.name : '',
    input: argumentsOf(call.input),
    providerCallId: null,
  };
}

/** The result of a call; a failed one has a text. */
export function resultPart(result: {
  readonly id: unknown;
  readonly name?: unknown;
  readonly output: JsonValue;
  readonly isError?: boolean;
}): MessagePart {
  return {
    type: 'tool-result',
    toolCallId: typeof result.id === 'string' ? result.id : '',
    toolName: typeof result.name === 'string' ? result.name : '',
    output: result.output,
    outcome: result.isError === true ? 'failed' : 'completed',
    durationMs: null,
  };
}

/** A source that an answer cites; null without an address and a title. */
export function sourcePart({ id, url, title }: Fields): MessagePart | null {
  const [address, name] = [url, title].map((value) =>
    typeof value === 'string' && value !== '' ? value : null,
  ) as [string | null, string | null];
  if (address === null && name === null) return null;
  return {
    type: 'source',
    id: typeof id === 'string' && id !== '' ? id : (address ?? name ?? ''),
    url: address,
    title: name,
  };
}
