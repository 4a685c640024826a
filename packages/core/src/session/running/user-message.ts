import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { checkedDataPart } from '../../agent/checked-data-part.ts';
import type { Env } from '../../graph/env.ts';
import { of as errorInfo } from '../../graph/error-info.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { OutgoingMessage } from '../agent-session.ts';
import { newTurn } from '../machine/transition.ts';
import type { Replies } from '../replies.ts';
import type { SessionInput } from '../machine/session-input.ts';
import { keptMessage, type QueuedMessage } from '../store/queued-message.ts';
import { type Message, user, type MessagePart } from '../../graph/message.ts';
import { normalizeMessage } from '../../graph/normalize-message.ts';

type CheckOptions = { readonly agent: AgentDefinition; readonly env: Env; readonly replies: Replies };

/**
 * Checks a message before it is sent. Returns the input, or null when the message is invalid and was refused.
 */
export function checkedInput(
  input: SessionInput,
  { agent, env, replies }: CheckOptions,
): SessionInput | null {
  if ((input.type !== 'send' && input.type !== 'move') || input.message === null) return input;
  try {
    return { ...input, message: checkedMessage(input.message, agent, env) };
  } catch (thrown) {
    const kind = input.type === 'send' ? 'send' : input.kind;
    replies.resolve(input.id, { ...newTurn(input.id, kind, 'refused'), error: errorInfo(thrown) });
    return null;
  }
}

function checkedMessage(given: OutgoingMessage, agent: AgentDefinition, env: Env): OutgoingMessage {
  const { data } = given;
  const message = data === undefined ? given : { ...given, data: checkedData(data, agent) };
  toUserMessage({ ...keptMessage(message), id: 'checked', isSteered: false }, env);
  return message;
}

/** Validates data parts against the declarations of the agent. */
function checkedData(data: JsonObject, agent: AgentDefinition): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, part]) => [name, checkedDataPart(agent, name, part)]),
  );
}

/** Creates the message from a sent one: text, then files, then data by name. */
export function toUserMessage(
  { id, text, files = [], data = {}, metadata = {}, by }: QueuedMessage,
  env: Env,
): Message {
  const parts: MessagePart[] = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...files,
    ...Object.entries(data).map(([name, value]) => ({ type: 'data' as const, name, data: value })),
  ];
  return normalizeMessage(
    user(parts, { id, metadata: by === undefined ? metadata : { ...metadata, by } }, env),
    env,
  );
}

/** Creates the sent form of a user message. */
export function toQueuedMessage({ id, parts, metadata }: Message): QueuedMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const files = parts.filter((part) => part.type === 'file');
  const data = Object.fromEntries(
    parts.flatMap((part) => (part.type === 'data' ? [[part.name, part.data] as const] : [])),
  );
  return { id, text: texts.join('\n'), files, data, metadata, isSteered: false };
}
