import { type InferenceRequest, type JsonObject, type JsonValue, Message } from '@vitrine/core';
import { readJson } from '@vitrine/core/internal/kit/json';
import { isObject } from '../../kit/is-object.ts';

export type ReplyToolCall = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
};

/** The text and calls that the offline model decided on. */
export type Reply = {
  readonly reasoning: string;
  readonly text: string;
  readonly toolCalls: readonly ReplyToolCall[];
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean } | null;
  /** The reply to a retry of a failed request; null for a lasting error. */
  readonly whenRetried: Reply | null;
};

/** A reply with the given fields and nothing else. */
export function reply(init: Partial<Reply>): Reply {
  return { reasoning: '', text: '', toolCalls: [], error: null, whenRetried: null, ...init };
}

type Tool = InferenceRequest['tools'][number];

export type Result = { readonly toolName: string; readonly output: JsonValue; readonly outcome: string };

/** The parts of a request that the rules look at. */
export type Conversation = {
  readonly request: InferenceRequest;
  /** The wish of the person: the last message, or an earlier one when the last only says to go on. */
  readonly asked: string;
  /** All messages of the person, the last first. */
  readonly said: readonly string[];
  /** The number of messages by the person. */
  readonly turn: number;
  /** The results of tools since the person's last message. */
  readonly results: readonly Result[];
  /** The results that the model has not commented on yet. */
  readonly news: readonly Result[];
  readonly tool: (name: string) => Tool | null;
};

export function readConversation(request: InferenceRequest): Conversation {
  const people = request.messages.filter(({ role }) => role === 'user');
  const said = people.map((message) => ownText(Message.text(message))).toReversed();
  const after = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user') + 1);
  const lastSpoken = after.findLastIndex(({ role }) => role === 'assistant');
  return {
    request,
    asked: said.find((text) => !goesOn.test(text)) ?? said[0] ?? '',
    said,
    turn: people.length,
    results: resultsIn(after),
    news: resultsIn(after.slice(lastSpoken + 1)),
    tool: (name) => request.tools.find((tool) => tool.name === name) ?? null,
  };
}

const goesOn = /^\s*(?:please\s+)?(?:go on|continue|carry on)\b[\s.!]*$/i;

function resultsIn(messages: readonly Message[]): Result[] {
  return messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'))
    .map((part) => ({ ...part, output: ownOutput(part.output) }));
}

/** A text without what plugins told behind it. */
function ownText(text: string): string {
  const told = text.indexOf('<context name="');
  return told < 0 ? text : text.slice(0, told).trimEnd();
}

/** The output of a tool without what plugins told behind it, which made a text of it. */
function ownOutput(output: JsonValue): JsonValue {
  if (typeof output !== 'string') return output;
  const own = ownText(output);
  const json = own === output ? null : readJson(own);
  return json?.ok === true && isObject(json.value) ? (json.value as JsonObject) : own;
}

/** A tool call with an id that is unique for its turn, step and place in the step. */
export function createCall(
  { turn, results }: Conversation,
  toolName: string,
  input: JsonObject,
  index = 0,
): ReplyToolCall {
  return { toolCallId: `offline_${turn}_${results.length + index + 1}`, toolName, input };
}

/** The descriptions of a tool's arguments, by their names. */
export function argumentsOf({ inputSchema }: Tool): Readonly<Record<string, JsonObject>> {
  const properties = inputSchema['properties'];
  return isObject(properties) ? (properties as Record<string, JsonObject>) : {};
}
