import type { AgentError } from '../kit/agent-error.ts';
import * as errors from '../kit/errors.ts';
import { freeze } from '../kit/freeze.ts';
import { shownShape, textOf, textOrNull } from '../kit/text.ts';
import { toJsonObject } from '../kit/to-json.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import type { Message, MessageRole } from './message.ts';
import type { MessagePart } from './message-part.ts';
import { normalizeMessagePart } from './normalize-message-part.ts';

/** Messages that this library created or copied: valid, and never modified. */
const known = new WeakSet<object>();

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies MessageRole[];

/**
 * Copies a message of an application into the shape that state can hold; the copy is frozen in development. A known
 * message is returned unchanged. A missing or empty id becomes a fresh one, a missing time the current one, and
 * fractions are rounded. Metadata is copied as JSON, parts of unknown type are dropped (see `normalizeMessagePart`),
 * and parts given as text become one text part. An empty role means `user`.
 * @throws AgentError `message-invalid` for a value that is no message, an unknown role, and parts that are no list.
 */
export function normalizeMessage(raw: unknown, env: Env = systemEnv): Message {
  return normalize(raw, env, 'A message');
}

/**
 * Normalises a list of messages with `normalizeMessage`; of two messages with one id the second gets a new id. Returns
 * the same list when nothing had to be copied.
 * @throws AgentError `message-invalid` for a value that is no list, and for the first invalid message, with its
 * position.
 */
export function normalizeMessages(list: unknown, env: Env = systemEnv): readonly Message[] {
  if (!Array.isArray(list)) throw invalid('Messages', 'have to be a list', list);
  const ids = new Set<string>();
  const messages = Array.from(list, (raw: unknown, index) => {
    const message = normalize(raw, env, `messages[${index}]`);
    const own = ids.has(message.id) ? knownMessage({ ...message, id: env.id() }) : message;
    ids.add(own.id);
    return own;
  });
  return Object.isFrozen(list) && messages.every((message, index) => message === list[index])
    ? (list as readonly Message[])
    : messages;
}

/** Marks a message that this library made, so that it is not copied again. */
export function knownMessage(message: Message): Message {
  known.add(message);
  return freeze(message);
}

function normalize(raw: unknown, env: Env, place: string): Message {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw invalid(place, 'has to be an object with a role and parts', raw);
  }
  if (known.has(raw)) return raw as Message;
  const { id, role, parts, metadata, createdAt, parentId } = readFields(raw, place);
  if (role !== '' && !roles.includes(role)) throw invalid(place, `has the role ${shownShape(role)}`, role);
  return knownMessage({
    id: textOf(id) || env.id(),
    role: role === '' ? 'user' : (role as MessageRole),
    parts: partsOf(parts, place),
    metadata: toJsonObject(metadata),
    createdAt: timeOf(createdAt) ?? env.now(),
    parentId: textOrNull(parentId),
  });
}

type Fields = { readonly [Key in keyof Message]?: unknown };

function readFields(raw: object, place: string): Fields {
  try {
    const { id, role, parts, metadata, createdAt, parentId } = raw as Fields;
    return { id, role, parts, metadata, createdAt, parentId };
  } catch {
    throw invalid(place, 'cannot be read', null);
  }
}

function partsOf(parts: unknown, place: string): MessagePart[] {
  if (typeof parts === 'string') return [{ type: 'text', text: parts }];
  if (!Array.isArray(parts)) throw invalid(place, 'has no list of parts', parts);
  return Array.from(parts, normalizeMessagePart).filter((part) => part !== null);
}

function timeOf(value: unknown): Timestamp | null {
  const time = value instanceof Date ? value.getTime() : value;
  if (typeof time !== 'number') return null;
  const rounded = Math.round(time) + 0;
  return Number.isSafeInteger(rounded) ? rounded : null;
}

function invalid(place: string, what: string, value: unknown): AgentError {
  const message = `${place} ${what}. A message is { role: 'system' | 'user' | 'assistant' | 'tool', parts: [...] }; Message.user(text) makes one.`;
  return errors.messageInvalid(message, { place, got: shownShape(value) });
}
