import type { ChatMessage } from '../../agent/chat-message.ts';
import type { Schema } from '../../agent/schema.ts';
import type { AgentState } from '../../graph/types.ts';
import { parsePartialJson } from '../../kit/parse-partial-json.ts';
import { settledMessages, streamingMessage } from './conversation.ts';
import type { SomeOutput as View } from './later-views.ts';
import { noOutput } from './no-output.ts';

const views = new WeakMap<Schema, WeakMap<ChatMessage, View>>();

/** What has come of an answer that a schema describes: the same object while the answer stays the same. */
export function output(state: AgentState, schema: Schema): View {
  const streaming = streamingMessage(state);
  const message = streaming ?? lastAnswer(state);
  if (message === null) return noOutput;
  const isFinal = streaming === null && state.execution?.status === 'completed';
  const known = views.get(schema) ?? new WeakMap<ChatMessage, View>();
  views.set(schema, known);
  const view = known.get(message);
  // An answer is final only when its run is.
  if (view && (!isFinal || view.final !== null)) return view;
  const next = viewOf(textOf(message), isFinal ? schema : null);
  if (view && next.final === null) return view;
  known.set(message, next);
  return next;
}

function lastAnswer(state: AgentState): ChatMessage | null {
  const last = settledMessages(state).at(-1);
  return last?.role === 'assistant' ? last : null;
}

function textOf({ parts }: ChatMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function viewOf(text: string, schema: Schema | null): View {
  const json = withoutFence(text);
  return { partial: parsePartialJson(json) ?? null, final: schema === null ? null : validated(json, schema) };
}

/** Models like to put JSON into a code block. */
function withoutFence(text: string): string {
  return text.replace(/^\s*```(?:json)?\s*\n/, '').replace(/\n\s*```\s*$/, '');
}

function validated(json: string, schema: Schema): unknown {
  try {
    const result = schema['~standard'].validate(JSON.parse(json));
    // The run itself waits for schemas that take their time; here only those that answer at once can be asked.
    return result instanceof Promise || result.issues !== undefined ? null : result.value;
  } catch {
    return null;
  }
}
