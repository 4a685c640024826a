import type { ChatMessage } from '../../agent/chat-message.ts';
import type { Schema } from '../../agent/schema.ts';
import type { AgentContext, AgentState } from '../../graph/types.ts';
import { type JsonValue, modelJson, readJson } from '../../kit/json.ts';
import { createPartialJsonReader, parsePartialJson, type PartialJsonReader } from '../../kit/partial-json.ts';
import { total } from '../../kit/total.ts';
import { unfenced } from '../../kit/text.ts';
import { settledMessages, streamingMessage } from './conversation.ts';

/** An answer as data: the partial value, and the final one when it fits its schema. */
export type SomeOutput = { readonly partial: unknown; readonly final: unknown };

/** The output of an agent without an answer. */
const noOutput: SomeOutput = { partial: null, final: null };

const views = new WeakMap<Schema, WeakMap<ChatMessage, SomeOutput>>();

/** The output of an answer with a schema; the same object while the answer stays the same. */
export const output: (state: AgentState, schema: Schema) => SomeOutput = total(
  'output',
  readOutput,
  () => noOutput,
);

function readOutput(state: AgentState, schema: Schema): SomeOutput {
  const streaming = streamingMessage(state);
  const message = streaming ?? lastAnswer(state);
  if (message === null) return noOutput;
  const isFinal = streaming === null && state.execution?.status === 'completed';
  const known = views.get(schema) ?? new WeakMap<ChatMessage, SomeOutput>();
  views.set(schema, known);
  const view = known.get(message);
  // An answer is final only when its run is.
  if (view && (!isFinal || view.final !== null)) return view;
  const text = textOf(message);
  const partial = streaming ? partialOf(state.context, message.id, text) : parsePartialJson(text);
  const next = { partial: partial ?? null, final: isFinal ? validated(text, schema) : null };
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

/** The incremental parse of a streaming answer. */
type Reading = { readonly id: string; readonly text: string; readonly reader: PartialJsonReader };

/** The parses by the context of the state, which keeps its reference during deltas. */
const readings = new WeakMap<AgentContext, Reading>();

/** Returns the partial value of a streaming answer. Each call costs only the added text. */
function partialOf(context: AgentContext, id: string, text: string): JsonValue | undefined {
  const known = readings.get(context);
  const goesOn = known !== undefined && known.id === id && text.startsWith(known.text);
  const reader = goesOn ? known.reader : createPartialJsonReader();
  reader.read(text);
  readings.set(context, { id, text, reader });
  return reader.value();
}

function validated(text: string, schema: Schema): unknown {
  const json = readJson(unfenced(text), modelJson);
  if (!json.ok) return null;
  try {
    const result = schema['~standard'].validate(json.value);
    // The run itself awaits asynchronous schemas; this view can only use synchronous ones.
    return result instanceof Promise || result.issues !== undefined ? null : result.value;
  } catch {
    return null;
  }
}
