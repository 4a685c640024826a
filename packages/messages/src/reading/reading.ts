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
export class Import {
  readonly env: Env;
  readonly left: LeftPart[] = [];

  constructor(env: Env) {
    this.env = env;
  }

  /** Notes a part that is left out. Returns the parts that it gives: none. */
  readonly leave = (at: string, kind: unknown, why: string): readonly [] => {
    const known = typeof kind === 'string' && kind !== '' ? kind.slice(0, 100) : 'unknown';
    this.left.push({ at, kind: known, why });
    return [];
  };

  /** Leaves out a message with a role, a sender or a type that its reader does not know. */
  leaveUnknown(at: string, what: 'role' | 'sender' | 'type', value: unknown): readonly [] {
    return this.leave(at, 'message', `Its ${what} ${JSON.stringify(value)?.slice(0, 40)} is unknown.`);
  }

  /** Leaves out what a message says in a field that the reader of its shape does not know. */
  leaveOthers(message: Fields, at: string, known: readonly string[]): void {
    for (const name of saidFields) {
      const value = message[name];
      const isAgain = name !== 'content' && value === message['content'];
      if (known.includes(name) || isEmpty(value) || isAgain) continue;
      this.leave(`${at}.${name}`, name, 'Messages of this shape have no such field.');
    }
  }

  /** A file as the only part; one without bytes and address is left out. */
  keepFile(file: MessagePart | null, at: string): readonly MessagePart[] {
    return file === null ? this.leave(at, 'file', noBytes) : [file];
  }

  /** All that `read` gives for the entries of a list, each with its place; nothing for a value that is no list. */
  each<Found>(list: unknown, at: string, read: ReadEntry<unknown, readonly Found[]>): readonly Found[] {
    return listOf(list).flatMap((entry, index) => read(entry, `${at}[${index}]`, this));
  }

  /** The objects of a list, each with its place; other values are left out. */
  entriesOf(list: unknown, at: string, kind = 'message'): readonly (readonly [Fields, string])[] {
    return this.each(list, at, (entry, place) =>
      isPlainObject(entry) ? [[entry, place] as const] : this.leave(place, kind, 'It is no object.'),
    );
  }

  /**
   * The parts of a content, which is a text or a list. Entries that `read` answers with null have no place here.
   * @param read Gives the parts of an entry with a `type`.
   */
  partsOf(content: unknown, at: string, read: ReadEntry<Fields, Parts | null>): Parts {
    const isListed = Array.isArray(content);
    const partsIn = (entry: unknown, place: string): Parts => {
      if (typeof entry === 'string') return Part.text(entry);
      if (isPlainObject(entry)) return read(entry, place, this) ?? this.leave(place, kindOf(entry), noPlace);
      return this.leave(place, typeof entry, isListed ? 'It is no part.' : 'It is no text and no part.');
    };
    if (content === undefined || content === null) return [];
    return isListed ? this.each(content, at, partsIn) : partsIn(content, at);
  }

  /** The texts of a list of parts, joined. Parts without a text are left out and noted. */
  textIn(content: unknown, at: string): string {
    return this.partsOf(content, at, ({ text }) => (typeof text === 'string' ? Part.text(text) : null))
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('');
  }
}

type Parts = readonly MessagePart[];

/** Reads an entry of a list at its place. */
type ReadEntry<Entry, Found> = (entry: Entry, at: string, reading: Import) => Found;

/** The reader of a list of messages in one shape. */
export type ReadMessages = (
  list: readonly unknown[],
  reading: Import,
  at?: string,
) => readonly FoundMessage[];

/** The reader of a list of conversations in one shape. */
export type ReadSessions = (list: readonly unknown[], reading: Import) => readonly FoundSession[];

/** The reason of a part of a kind that conversations do not have. */
export const noPlace = 'A conversation has no place for a part of this kind.';
/** The reason of a file of which only an id is known. */
export const noBytes = 'Only the id of the file is here; its bytes are with the provider.';

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

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  // A row of a database may have an empty list as JSON.
  return value === undefined || value === null || value === '' || value === '[]' || value === false;
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

/** A time in Unix milliseconds, from seconds, milliseconds or an ISO text; null for other values. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : value;
  if (typeof time !== 'number' || !Number.isFinite(time) || time < 0) return null;
  // Seconds since 1970 stay below this until the year 5138, and milliseconds have been above since 1973.
  const ms = Math.round(typeof value === 'number' && time < 1e11 ? time * 1000 : time);
  return Number.isSafeInteger(ms) ? ms : null;
}
