import * as errors from '../kit/errors.ts';
import { type JsonObject, type JsonValue, equalJson } from '../kit/json.ts';
import { type Env, systemEnv, type Timestamp } from './env.ts';
import { toJsonObject } from '../kit/to-json.ts';

/** Metadata that a provider needs back with a part in later requests, by provider, e.g. a signature. */
type WithProviderMetadata = { readonly providerMetadata?: JsonObject };

/** Text written by the model or a person. */
export type TextPart = WithProviderMetadata & { readonly type: 'text'; readonly text: string };
/** The reasoning of the model before its answer, as far as its provider shows it. */
export type ReasoningPart = WithProviderMetadata & { readonly type: 'reasoning'; readonly text: string };
/** Data of the application in a message, e.g. a selected row; models do not receive it. */
export type DataPart = { readonly type: 'data'; readonly name: string; readonly data: JsonValue };
/** A tool call requested by the model. */
export type ToolCallPart = WithProviderMetadata & {
  readonly type: 'tool-call';
  /** Our id of the call, unique in the session: the id of its `ToolExecution`. */
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** The provider's id of the call; null when it gave none, or one already in use. */
  readonly providerCallId: string | null;
};
/** The outcome of a call. */
export type ToolOutcome = 'completed' | 'failed' | 'blocked' | 'rejected' | 'interrupted' | 'stopped';
/** The result of a call in the form that the model receives. */
export type ToolResultPart = {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: JsonValue;
  readonly outcome: ToolOutcome;
  /** Running time of the tool in milliseconds; null when it did not run. */
  readonly durationMs: number | null;
};
/** A reference to bytes that a session store keeps beside its messages. */
export type BlobReference = {
  /** SHA-256 of the bytes: 64 hexadecimal digits. */
  readonly hash: string;
  /** Size in bytes. */
  readonly size: number;
};
/** A file, inline as base64 `data`, by `url`, or as a `blob` of the session store. */
export type FilePart = WithProviderMetadata & {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly blob?: BlobReference;
  readonly filename: string | null;
};
/** A source that the model cites. */
export type SourcePart = {
  readonly type: 'source';
  readonly id: string;
  readonly url: string | null;
  readonly title: string | null;
};
/** A part of a message; its `type` tells the kinds apart. */
export type MessagePart =
  TextPart | ReasoningPart | DataPart | ToolCallPart | ToolResultPart | FilePart | SourcePart;

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
    const message = `Message role ${JSON.stringify(role)} is unknown; use one of ${roles.join(', ')}.`;
    throw errors.messageInvalid(message, { role });
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

/** An object with parts: a stored message or a chat message. */
type WithParts = { readonly parts: readonly { readonly type: string }[] };

/** All text parts joined, without reasoning. */
export function text(message: WithParts): string {
  return textOf(message, 'text');
}

/** All reasoning joined. */
export function reasoning(message: WithParts): string {
  return textOf(message, 'reasoning');
}

function textOf({ parts }: WithParts, type: 'text' | 'reasoning'): string {
  const found = parts.filter((part): part is TextPart => part.type === type);
  return found.length === 1 && found[0] ? found[0].text : found.map((part) => part.text).join('');
}

/** True for a message that belongs to the trace of a step, not to the conversation. */
export function isTrace(message: { readonly metadata: JsonObject }): boolean {
  return message.metadata['is_trace'] === true;
}

/**
 * The filter of a file field for a model that takes these media types (`accepts` of its client): the attribute `accept`
 * of the field, and a check that reads the beginning of a file, because names and types of files are often wrong.
 * `text/*` stands for any text: data, code and logs too. Its code is loaded with the first call.
 */
export async function fileFilter(accepts: readonly string[]): Promise<{
  readonly accept: string;
  /** Resolves with true for a file that the model takes. */
  readonly takes: (file: Blob) => Promise<boolean>;
}> {
  return (await import('../kit/text-file.ts')).mediaTypeFilter(accepts);
}
