import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { checkedDataPart } from '../../agent/checked-data-part.ts';
import type { Env } from '../../graph/env.ts';
import { of as errorInfo } from '../../graph/error-info.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { OutgoingMessage } from '../agent-session.ts';
import { newTurn } from '../machine/transition.ts';
import type { Replies } from '../replies.ts';
import type { CommandOf, SessionInput } from '../machine/session-input.ts';
import { keptMessage, type QueuedMessage } from '../store/queued-message.ts';
import { type Message, user, type MessagePart } from '../../graph/message.ts';
import { normalizeMessage } from '../../graph/normalize-message.ts';

type CheckOptions = { readonly agent: AgentDefinition; readonly env: Env; readonly replies: Replies };

/** Checks a message before it is sent. Returns the input, or null when the message is invalid and was refused. */
export function checkedInput(
  input: SessionInput,
  { agent, env, replies }: CheckOptions,
): SessionInput | null {
  if ((input.type !== 'send' && input.type !== 'move') || input.message === null) return input;
  try {
    return { ...input, message: checkedMessage(input.message, agent, env) };
  } catch (thrown) {
    refuseMessage(replies, input, thrown);
    return null;
  }
}

/** Refuses the turn of a message with the error that was thrown for it. */
export function refuseMessage(replies: Replies, input: CommandOf<'send' | 'move'>, thrown: unknown): void {
  const { id } = input;
  const kind = input.type === 'send' ? 'send' : input.kind;
  replies.resolve(id, { ...newTurn(id, kind, 'refused'), error: errorInfo(thrown) });
}

function checkedMessage(given: OutgoingMessage, agent: AgentDefinition, env: Env): OutgoingMessage {
  const { data } = given;
  const parts = Object.entries(data ?? {}).map(([name, part]) => [name, checkedDataPart(agent, name, part)]);
  const message = data === undefined ? given : { ...given, data: Object.fromEntries(parts) as JsonObject };
  toUserMessage({ ...keptMessage(message), id: 'checked', isSteered: false }, env);
  return message;
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
