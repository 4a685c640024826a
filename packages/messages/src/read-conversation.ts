import { type Env, systemEnv } from '@vitrine/core/internal/graph/env';
import type { Message } from '@vitrine/core/internal/graph/message';
import * as errors from '@vitrine/core/internal/kit/errors';
import { isPlainObject, readJson } from '@vitrine/core/internal/kit/json';
import { shownShape } from '@vitrine/core/internal/kit/text';
import {
  maxImportedBranches,
  plainSchemaName,
  type PlainSession,
} from '@vitrine/persist/internal/manage/plain-session';
import { readAgUi } from './ag-ui/messages.ts';
import { readUi } from './ai-sdk/import-ui-messages.ts';
import { assemble } from './reading/assemble.ts';
import { readAnthropic } from './reading/read-anthropic.ts';
import { readChatGpt } from './reading/read-chatgpt.ts';
import { readClaude } from './reading/read-claude.ts';
import { readGemini } from './reading/read-gemini.ts';
import { readLangChain } from './reading/read-langchain.ts';
import { readOpenAi } from './reading/read-openai.ts';
import { readPlain } from './reading/read-plain.ts';
import { readResponses } from './reading/read-responses.ts';
import {
  type Fields,
  type FoundMessage,
  type FoundSession,
  Import,
  type LeftPart,
  type ReadMessages,
  type ReadSessions,
  timeOf,
} from './reading/reading.ts';
import {
  isMessage,
  type MessageShape,
  type SessionShape,
  shapeOfConversation,
  shapeOfMessages,
} from './reading/recognize.ts';

/** The shape of messages that come from elsewhere. */
export type ImportShape = MessageShape | SessionShape;

/** Options of `importMessages`; all are optional. */
export type ImportMessagesOptions = {
  /** The shape, where it is known. Default: it is recognised. */
  readonly shape?: ImportShape;
  /**
   * The trust in the file, as for `importSession`: `none` (default) leaves out system messages, because they give orders
   * to the model; `full` keeps them.
   */
  readonly trust?: 'none' | 'full';
  /** The clock and ids. Default: those of the system. */
  readonly env?: Env;
};

/**
 * The messages of a file, or its sessions when it has several conversations. Every part of the file is in them or in
 * `left`, with its place, its kind and the reason as a sentence.
 */
export type ImportedMessages = { readonly shape: ImportShape; readonly left: readonly LeftPart[] } & (
  | { readonly messages: readonly Message[]; readonly sessions?: undefined }
  | { readonly sessions: readonly PlainSession[]; readonly messages?: undefined }
);

const readers: { readonly [Shape in MessageShape]: ReadMessages } = {
  ui: readUi,
  openai: readOpenAi,
  'openai-responses': readResponses,
  anthropic: readAnthropic,
  langchain: readLangChain,
  'ag-ui': readAgUi,
  gemini: readGemini,
};

const sessionReaders: { readonly [Shape in SessionShape]: ReadSessions } = {
  chatgpt: readChatGpt,
  claude: readClaude,
  plain: readPlain,
};

/** Reads the text of a conversation, or its JSON, in any of the shapes. */
export function readConversation(
  given: unknown,
  { shape, trust = 'none', env = systemEnv }: ImportMessagesOptions = {},
): ImportedMessages {
  const reading = new Import(env);
  const value = typeof given === 'string' ? valueOf(given, reading) : given;
  const found = contentOf(value, shape);
  if (found === null) throw unknownShape(value);
  const { left } = reading;
  if (found.kind === 'sessions') {
    const read = sessionReaders[found.shape](found.list, reading);
    return { shape: found.shape, sessions: read.map((one) => toSession(one, reading, trust)), left };
  }
  const read = readers[found.shape];
  const messagesOf = (lists: readonly Placed[]): readonly FoundMessage[] =>
    lists.flatMap(({ at, list }) => {
      const messages = read(list, reading, at);
      return isNewestFirst(list) ? [...messages].reverse() : messages;
    });
  if (found.kind === 'conversations') {
    const sessions = found.list.map(({ at, conversation, lists, orders }) => {
      const { id, title, created_at: begun, createdAt = begun } = conversation;
      const messages = inLine([...ordersOf(orders), ...messagesOf(lists)]);
      return toSession({ at, id, title, createdAt, updatedAt: null, head: null, messages }, reading, trust);
    });
    return { shape: found.shape, sessions, left };
  }
  const all = [...ordersOf(found.orders), ...messagesOf(found.lists)];
  return { shape: found.shape, messages: assemble(all, reading, { trust }).messages, left };
}

/** The messages of a list as a tree with one branch. */
function inLine(messages: readonly FoundMessage[]): readonly FoundMessage[] {
  let above: string | null = null;
  return messages.map((message, index) => {
    const id = typeof message.id === 'string' && message.id !== '' ? message.id : `${message.at}#${index}`;
    const placed = { ...message, id, parentId: above };
    above = id;
    return placed;
  });
}

/** The instructions that a request has beside its messages. */
function ordersOf(orders: Orders | null): readonly FoundMessage[] {
  return orders === null
    ? []
    : [{ at: orders.at, role: 'system', parts: [{ type: 'text', text: orders.text }] }];
}

type Orders = { readonly at: string; readonly text: string };
type Placed = { readonly at: string; readonly list: readonly unknown[] };
/** A conversation: its instructions, and the lists that hold its messages one after the other, as a request and its answer. */
type Lists = { readonly lists: readonly Placed[]; readonly orders: Orders | null };

type Content =
  | ({ readonly kind: 'messages'; readonly shape: MessageShape } & Lists)
  | {
      readonly kind: 'conversations';
      readonly shape: MessageShape;
      readonly list: readonly (Lists & { readonly at: string; readonly conversation: Fields })[];
    }
  | { readonly kind: 'sessions'; readonly shape: SessionShape; readonly list: readonly unknown[] };

/** The conversation in a value; null for a value that has none. */
function contentOf(value: unknown, shape: ImportShape | undefined): Content | null {
  const whole = Array.isArray(value) ? (value as readonly unknown[]) : listedIn(value);
  if (whole === null) {
    const own = listsOf(value, '');
    return own === null ? null : asMessages(own, shape);
  }
  const conversations = whole.map(shapeOfConversation).find((one) => one !== null) ?? null;
  if (isSessionShape(shape)) return { kind: 'sessions', shape, list: whole };
  if (conversations !== null) return { kind: 'sessions', shape: conversations, list: whole };
  const several = whole.flatMap((entry, index) => {
    const at = `[${index}]`;
    const found = isMessage(entry) ? null : listsOf(entry, at);
    return found === null ? [] : [{ ...found, at, conversation: entry as Fields }];
  });
  if (several.length > 0 && several.length === whole.length) {
    const known = shape ?? several.map(shapeOf).find((one) => one !== null) ?? 'openai';
    return { kind: 'conversations', shape: known, list: several };
  }
  return asMessages({ lists: [{ at: '', list: whole }], orders: null }, shape);
}

function isSessionShape(shape: ImportShape | undefined): shape is SessionShape {
  return shape !== undefined && Object.hasOwn(sessionReaders, shape);
}

function shapeOf({ lists }: Lists): MessageShape | null {
  return shapeOfMessages(lists.flatMap(({ list }) => list));
}

/** Messages with their shape; null when no entry is a message. */
function asMessages(found: Lists, given: ImportShape | undefined): Content | null {
  const shape = given === undefined || isSessionShape(given) ? shapeOf(found) : given;
  const entries = found.lists.flatMap(({ list }) => list);
  if (shape === null && entries.length > 0 && !entries.some(isMessage)) return null;
  return { kind: 'messages', shape: shape ?? 'openai', ...found };
}

/** The conversations of an object that holds several, or a conversation alone; null for other values. */
function listedIn(value: unknown): readonly unknown[] | null {
  if (!isPlainObject(value)) return null;
  if (shapeOfConversation(value) !== null) return [value];
  return Array.isArray(value['conversations']) ? (value['conversations'] as readonly unknown[]) : null;
}

/** The messages in a request, in its answer, in both, in a state, or in a message alone; null for other values. */
function listsOf(value: unknown, at: string): Lists | null {
  if (!isPlainObject(value)) return null;
  const { messages, contents, input, output, choices, candidates, values, items, data } = value;
  const place = (name: string): string => (at === '' ? name : `${at}.${name}`);
  const listPlaced = (name: string, given: unknown, isSure = false): readonly Placed[] =>
    Array.isArray(given) && (isSure || given.some(isMessage)) ? [{ at: place(name), list: given }] : [];
  const state = isPlainObject(values) ? values['messages'] : undefined;
  const asked = [
    ...listPlaced('messages', messages, true),
    ...listPlaced('contents', contents, true),
    ...listPlaced('values.messages', state, true),
    ...(value['object'] === 'list' ? listPlaced('data', data, true) : []),
    ...listPlaced('items', items),
    ...listPlaced('input', input),
  ];
  const answered = [
    ...listPlaced('choices', within(choices, 'message'), true),
    ...listPlaced('candidates', within(candidates, 'content'), true),
    ...listPlaced('output', output),
  ];
  // The input of a response may be a text alone.
  const isText = answered.length > 0 && typeof input === 'string' && input !== '';
  if (isText) asked.push({ at: place('input'), list: [{ role: 'user', content: input }] });
  const lists = [...asked, ...answered];
  if (lists.length > 0) return { lists, orders: instructionsOf(value, place) };
  return isMessage(value) && at === '' ? { lists: [{ at, list: [value] }], orders: null } : null;
}

function within(list: unknown, name: string): unknown {
  return Array.isArray(list)
    ? list.map((entry: unknown) => (isPlainObject(entry) ? entry[name] : entry))
    : undefined;
}

/** True for a page of a list as OpenAI answers it, newest first. */
function isNewestFirst(list: readonly unknown[]): boolean {
  const timeAt = (index: number): number | null => {
    const entry = list.at(index);
    return isPlainObject(entry) ? timeOf(entry['created_at']) : null;
  };
  return (timeAt(0) ?? 0) > (timeAt(-1) ?? Infinity);
}

/** The instructions beside the messages of a request of Anthropic, Gemini or OpenAI. */
function instructionsOf(request: Fields, place: (name: string) => string): Orders | null {
  for (const name of ['system', 'instructions', 'systemInstruction', 'system_instruction']) {
    const given = request[name];
    const blocks = isPlainObject(given) ? given['parts'] : given;
    const text = (Array.isArray(blocks) ? (blocks as readonly unknown[]) : [blocks])
      .map((block) => (isPlainObject(block) ? block['text'] : block))
      .filter((one) => typeof one === 'string' && one !== '')
      .join('\n');
    if (text !== '') return { at: place(name), text };
  }
  return null;
}

/** The value of a text: JSON, or one value a line. Lines that cannot be read are left out. */
function valueOf(text: string, reading: Import): unknown {
  if (text.startsWith('PK\u0003\u0004'))
    throw importError(
      'This is a ZIP archive. Unpack it and give its file of conversations (conversations.json).',
    );
  const whole = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const json = readJson(whole);
  if (json.ok) return json.value;
  const lines = whole.split('\n').map((line) => line.trim());
  const values = lines.flatMap((line, index): readonly unknown[] => {
    if (line === '') return [];
    const value = readJson(line);
    if (value.ok) return [value.value];
    return reading.leave(`line ${index + 1}`, 'line', `It cannot be read: ${value.what}.`);
  });
  if (values.length === 0 || !values.some((value) => isPlainObject(value)))
    throw importError(
      `The text cannot be read: ${json.what}. Give a conversation as JSON, or as one JSON value a line.`,
    );
  return values.length === 1 ? values[0] : values;
}

function unknownShape(value: unknown): Error {
  if (isPlainObject(value) && value['$schema'] === 'vitrine/session')
    return importError(
      'This is an exported session with its runs. Give it to importSession(store, document).',
    );
  return importError(
    `No message of a known shape was found in ${shownShape(value)}. Known are messages of the AI SDK, OpenAI, Anthropic, LangChain, AG-UI and Gemini, and exports of ChatGPT, Claude and this library. If you know the shape, give it as { shape }.`,
  );
}

function importError(message: string): Error {
  return errors.messageInvalid(`importMessages: ${message}`);
}

/** The session of a conversation that a reader found. */
function toSession(found: FoundSession, reading: Import, trust: 'none' | 'full'): PlainSession {
  const { env } = reading;
  const { messages: all, lastOf } = assemble(found.messages, reading, { trust });
  const ids = new Set<string>();
  // A message whose parent is not before it begins a branch of its own.
  const tree = all.map((message): Message => {
    const { parentId } = message;
    ids.add(message.id);
    return parentId === null || ids.has(parentId) ? message : { ...message, parentId: null };
  });
  const wanted = typeof found.head === 'string' ? (lastOf.get(found.head) ?? null) : null;
  const head = wanted ?? tree.at(-1)?.id ?? null;
  const messages = pruneTree(tree, head, found.at, reading);
  const createdAt = timeOf(found.createdAt) ?? messages[0]?.createdAt ?? env.now();
  return {
    $schema: plainSchemaName,
    version: 1,
    id: typeof found.id === 'string' && found.id !== '' ? found.id : env.id(),
    title: typeof found.title === 'string' ? found.title : '',
    createdAt,
    updatedAt: timeOf(found.updatedAt) ?? messages.at(-1)?.createdAt ?? createdAt,
    head,
    messages,
  };
}

/** The tree with the newest branches, as many as a session keeps. The messages of the others are left out. */
function pruneTree(
  tree: readonly Message[],
  head: string | null,
  at: string,
  { leave }: Import,
): readonly Message[] {
  const inner = new Set(tree.map(({ parentId }) => parentId));
  const leaves = tree.filter(({ id }) => !inner.has(id) && id !== head);
  if (leaves.length < maxImportedBranches) return tree;
  const byId = new Map(tree.map((message) => [message.id, message]));
  const newest = [...leaves].sort((a, b) => b.createdAt - a.createdAt).slice(0, maxImportedBranches - 1);
  const kept = new Set<string>();
  for (const end of [...newest.map(({ id }) => id), ...(head === null ? [] : [head])])
    for (let id: string | null = end; id !== null && !kept.has(id); id = byId.get(id)?.parentId ?? null)
      kept.add(id);
  return tree.filter(({ id }) => {
    if (!kept.has(id))
      leave(
        `${at}.${id}`,
        'message',
        `A session keeps ${maxImportedBranches} branches, and this one is older.`,
      );
    return kept.has(id);
  });
}
