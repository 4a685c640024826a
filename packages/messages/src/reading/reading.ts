import type { Env } from '@vitrine/core/internal/graph/env';
import type { MessagePart, MessageRole } from '@vitrine/core/internal/graph/message';
import { isPlainObject } from '@vitrine/core/internal/kit/json';
import * as Part from './part.ts';

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
  /** Times in any form that `timeOf` reads. */
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
  /** The id of the last message of the active branch; any other value means the last message. */
  readonly head: unknown;
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

/** A file as the only part; one without bytes and address is left out. */
export function keepFile(file: MessagePart | null, at: string, { leave }: Import): readonly MessagePart[] {
  return file === null ? leave(at, 'file', noBytes) : [file];
}

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

/** Leaves out a message with a role, a sender or a type that its reader does not know. */
export function leaveUnknown(
  at: string,
  what: 'role' | 'sender' | 'type',
  value: unknown,
  { leave }: Import,
): readonly [] {
  return leave(at, 'message', `Its ${what} ${JSON.stringify(value)?.slice(0, 40)} is unknown.`);
}

/** A list, or an empty one for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
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
    if (typeof content === 'string') return Part.text(content);
    if (!isPlainObject(content)) return reading.leave(at, typeof content, 'It is no text and no part.');
    return read(content, at) ?? reading.leave(at, kindOf(content), noPlace);
  }
  return content.flatMap((entry: unknown, index): readonly MessagePart[] => {
    const place = `${at}[${index}]`;
    if (typeof entry === 'string') return Part.text(entry);
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

/** The texts of a list of parts, joined. Parts without a text are left out and noted. */
export function textIn(content: unknown, at: string, reading: Import): string {
  return partsOf(content, at, reading, ({ text }) => (typeof text === 'string' ? Part.text(text) : null))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

/** A time in Unix milliseconds, from seconds, milliseconds or an ISO text; null for other values. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0) return null;
  // Seconds since 1970 stay below this until the year 5138, and milliseconds have been above since 1973.
  const ms = Math.round(typeof value === 'number' && time < 1e11 ? time * 1000 : time);
  return Number.isSafeInteger(ms) ? ms : null;
}
