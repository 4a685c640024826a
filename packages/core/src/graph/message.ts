import { type Env, systemEnv, type Timestamp } from './env.ts';
import { equalJson, type JsonObject, type JsonValue } from '../kit/json.ts';
import { toJsonObject } from '../kit/to-json.ts';
import * as errors from '../kit/errors.ts';
import type { MessagePart, ToolCallPart, ToolOutcome } from './message-part.ts';

export { isTrace } from './is-trace.ts';
export { reasoning, text } from './message-text.ts';

/** The author of a message: instructions, the person, the model, or a tool with its result. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** One message. Its parts are text, reasoning, calls, results, files and data. */
export type Message = {
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
  readonly metadata: JsonObject;
  readonly createdAt: Timestamp;
  /** The id of the message that this one answers; null for the one before it in the list. */
  readonly parentId: string | null;
};

/** Optional fields of a message. Defaults: a fresh id, no metadata, the current time, a null parent. */
export type MessageInit = {
  id?: string;
  metadata?: JsonObject;
  createdAt?: Timestamp;
  parentId?: string | null;
};

const roles: readonly string[] = ['system', 'user', 'assistant', 'tool'];

/**
 * A message of the given role; an empty role means `user`.
 * @throws AgentError `message-invalid` for any other role.
 */
export function of(
  role: MessageRole | '',
  content: string | readonly MessagePart[],
  init: MessageInit = {},
  env: Env = systemEnv,
): Message {
  if (role !== '' && !roles.includes(role)) {
    throw errors.messageInvalid(
      `Message role ${JSON.stringify(role)} is unknown; use one of ${roles.join(', ')}.`,
      { role },
    );
  }
  return {
    id: init.id ?? env.id(),
    role: role === '' ? 'user' : role,
    parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    metadata: init.metadata ?? {},
    createdAt: init.createdAt ?? env.now(),
    parentId: init.parentId ?? null,
  };
}

type RoleConstructor = (content: string | readonly MessagePart[], init?: MessageInit, env?: Env) => Message;

/** A system message with a text or parts. */
export const system: RoleConstructor = (content, init, env) => of('system', content, init, env);
/** A user message with a text or parts. */
export const user: RoleConstructor = (content, init, env) => of('user', content, init, env);
/** An assistant message with a text or parts. */
export const assistant: RoleConstructor = (content, init, env) => of('assistant', content, init, env);

/** A message that returns one tool result to the model. */
export function tool(
  result: {
    toolCallId: string;
    toolName: string;
    output: JsonValue;
    outcome?: ToolOutcome;
    durationMs?: number | null;
  },
  init: MessageInit = {},
  env: Env = systemEnv,
): Message {
  const { toolCallId, toolName, output, outcome = 'completed', durationMs = null } = result;
  return of('tool', [{ type: 'tool-result', toolCallId, toolName, output, outcome, durationMs }], init, env);
}

/** The tool calls of a message. */
export function toolCalls(message: Message): ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call');
}

/** A copy with additional metadata; the same message when nothing would change. */
export function withMetadata(message: Message, metadata: JsonObject): Message {
  const added = toJsonObject(metadata);
  const changes = Object.keys(added).some((key) => !equalJson(message.metadata[key], added[key]));
  return changes ? { ...message, metadata: { ...message.metadata, ...added } } : message;
}
