import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';
import { errorIn, type Frame, type FrameReader, type Sent, unreadable } from './answer-frames.ts';
import { type ChatCalls, createChatCalls } from './chat-calls.ts';
import { offeredIn, type TextCall } from './offered-calls.ts';
import { createTextCalls } from './text-calls.ts';
import { createThinkTags, type OpenThoughts, type TextPiece } from './think-tags.ts';

/**
 * Reads chat completions as the many servers of this protocol send them. `thoughts` are the models of a server that
 * leaves thoughts in tags at the start of the text; null for another server.
 */
export function chatFrames(thoughts: OpenThoughts | null, request: JsonObject): FrameReader {
  const text = createTextPieces(thoughts, request);
  const calls = createChatCalls();
  /** The last finish reason, '' for none. */
  let finish = '';
  /** True when calls have come in their field. */
  let hasCalls = false;

  /** A chunk with the end of the answer, which its package forgets with every event that it cannot read. */
  const again = (): readonly Frame[] => (finish === '' ? [] : [chunkOf({}, { finish_reason: finish })]);
  const replaceLost = (): readonly Sent[] => [unreadable, ...again()];

  function chunksOf(value: JsonObject): readonly Frame[] | null {
    const { choices, usage } = value;
    const [choice = null] = Array.isArray(choices) ? choices : [];
    const parts = isObject(choice) ? choiceOf(choice) : { deltas: [], isLost: choice !== null };
    if (parts.isLost) return null;
    const counted =
      usageOf(usage) ?? usageOf(pathOf(value, 'x_groq', 'usage')) ?? usageOf(pathOf(choice, 'usage'));
    const end = isObject(choice) ? finishOf(choice['finish_reason']) : '';
    const deltas =
      end === '' ? parts.deltas : [...parts.deltas, ...text.end(end === 'length').flatMap(deltaOf)];
    if (end !== '') finish = end === 'stop' && text.hasCalls() ? 'tool_calls' : end;
    const says = deltas.length > 0 || end !== '' || counted !== null;
    if (!says && choices === undefined) return null;
    const head = { ...textField(value, 'id'), ...textField(value, 'model') };
    return [
      ...deltas.map((delta) => chunkOf(delta, {}, head)),
      chunkOf({}, end === '' ? {} : { finish_reason: finish }, {
        ...head,
        ...(counted === null ? {} : { usage: counted }),
      }),
    ];
  }

  function deltaOf(piece: TextPiece | TextCall): readonly JsonObject[] {
    if ('text' in piece) return [{ [piece.isThought ? 'reasoning_content' : 'content']: piece.text }];
    const { name, json } = piece;
    // Servers that read the calls of the text may leave them in the text as well.
    return hasCalls ? [] : calledIn(calls, { tool_calls: [{ function: { name, arguments: json } }] });
  }

  function choiceOf(choice: JsonObject): { deltas: readonly JsonObject[]; isLost: boolean } {
    // An answer that is not streamed has a message, and a text in the oldest protocol.
    const delta = [choice['delta'], choice['message']].find(isObject) ?? { content: choice['text'] ?? null };
    const { pieces, isLost } = piecesOf(delta['content']);
    const thought = thoughtNames.map((name) => textIn(delta[name])).find((text) => text !== '') ?? '';
    const { refusal } = delta;
    const called = calledIn(calls, delta);
    hasCalls ||= called.length > 0;
    if (thought !== '') text.close();
    return {
      deltas: [
        ...(thought === '' ? [] : [{ reasoning_content: thought }]),
        ...pieces.flatMap((piece) => (piece.isThought ? [piece] : text.add(piece.text))).flatMap(deltaOf),
        ...(typeof refusal === 'string' ? [{ refusal }] : []),
        ...called,
      ],
      isLost,
    };
  }

  return {
    replaceLost,
    read({ event, value }) {
      if (Object.keys(value).length === 0 || event === 'ping' || value['type'] === 'ping') return [];
      const error = errorIn(value) ?? errorInChoice(value);
      // An answer that has ended is not undone by an error behind it.
      if (error !== null) return finish === '' ? [{ event: '', value: { error } }] : replaceLost();
      return chunksOf(value) ?? replaceLost();
    },
    end() {
      const kept = text
        .end(finish === 'length')
        .flatMap(deltaOf)
        .map((delta) => chunkOf(delta, {}));
      return [...kept, ...(calls.hasNameless() ? replaceLost() : [])];
    },
  };
}

/** The error that gateways tell in the choice, some by the finish reason alone. Null for none. */
function errorInChoice({ choices }: JsonObject): JsonObject | null {
  const [choice = null] = Array.isArray(choices) ? choices : [];
  if (!isObject(choice)) return null;
  const { error = null, finish_reason: reason, native_finish_reason: native = reason } = choice;
  const reported = errorIn({ error });
  if (reported !== null || reason !== 'error') return reported;
  return {
    message: `The answer ended with the finish reason ${JSON.stringify(native)}.`,
    type: 'server_error',
  };
}

/** The delta with the calls of another; none without calls. */
function calledIn(calls: ChatCalls, delta: JsonObject): readonly JsonObject[] {
  const called = calls.take(delta);
  return called.length === 0 ? [] : [{ tool_calls: called }];
}

/** Separates thoughts in tags, and then calls, from the text of an answer. */
function createTextPieces(thoughts: OpenThoughts | null, request: JsonObject) {
  const model = typeof request['model'] === 'string' ? request['model'] : '';
  // An answer without thoughts was asked for.
  const isOpen = thoughts?.has(model) === true && request['reasoning_effort'] !== 'none';
  const tags = thoughts && createThinkTags(isOpen, (found) => thoughts.note(model, found));
  const calls = createTextCalls(offeredIn(request));
  let hasCalls = false;

  function read(pieces: readonly TextPiece[]): readonly (TextPiece | TextCall)[] {
    return notePieces(pieces.flatMap((piece) => (piece.isThought ? [piece] : calls.add(piece.text))));
  }

  function notePieces(pieces: readonly (TextPiece | TextCall)[]): readonly (TextPiece | TextCall)[] {
    hasCalls ||= pieces.some((piece) => 'name' in piece);
    return pieces;
  }

  return {
    add: (text: string): readonly (TextPiece | TextCall)[] =>
      read(tags?.add(text) ?? [{ isThought: false, text }]),
    /** Takes the text as no thought, as thoughts come in a field of their own. */
    close: (): void => tags?.close(),
    hasCalls: (): boolean => hasCalls,
    /** @param isCut True at the output limit. */
    end: (isCut: boolean): readonly (TextPiece | TextCall)[] => [
      ...read(tags?.end(isCut) ?? []),
      ...notePieces(calls.end()),
    ],
  };
}

function chunkOf(delta: JsonObject, choice: JsonObject, head: JsonObject = {}): Frame {
  return { event: '', value: { ...head, choices: [{ index: 0, delta, ...choice }] } };
}

/** A field as text; some servers give numbers. */
function textField(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return typeof found === 'string' || typeof found === 'number' ? { [name]: String(found) } : {};
}

function pathOf(value: JsonValue, ...names: readonly string[]): JsonValue | undefined {
  return names.reduce<JsonValue | undefined>(
    (inner, name) => (isObject(inner) ? inner[name] : undefined),
    value,
  );
}

/** The text and thoughts of a content: a text, or a list of parts. */
function piecesOf(content: JsonValue | undefined): { pieces: readonly TextPiece[]; isLost: boolean } {
  if (content === null || content === undefined || content === '') return { pieces: [], isLost: false };
  if (typeof content === 'string' || typeof content === 'number')
    return { pieces: [{ isThought: false, text: String(content) }], isLost: false };
  const parts: readonly JsonValue[] = Array.isArray(content) ? content : [content];
  const pieces = parts.flatMap((part): TextPiece[] => {
    if (typeof part === 'string') return [{ isThought: false, text: part }];
    if (!isObject(part)) return [];
    const { thinking, text } = part;
    if (thinking !== undefined) return [{ isThought: true, text: textIn(thinking) }];
    return typeof text === 'string' ? [{ isThought: part['type'] === 'reasoning', text }] : [];
  });
  return {
    pieces: pieces.filter(({ text }) => text !== ''),
    isLost: parts.length > 0 && pieces.length === 0,
  };
}

/** The names of thoughts; servers that give several of them say the same in each. */
const thoughtNames = ['reasoning_content', 'reasoning', 'thinking', 'thought', 'reasoning_details'] as const;

/** The text of a text, of a part, or of a list of them. */
function textIn(value: JsonValue | undefined): string {
  const parts: readonly JsonValue[] = Array.isArray(value) ? value : [value ?? null];
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const said = isObject(part) ? (part['text'] ?? part['summary'] ?? part['content']) : '';
      return typeof said === 'string' ? said : '';
    })
    .join('');
}

/** Finish reasons of servers that do not use those of the protocol. */
const reasons: Readonly<Record<string, string>> = {
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  complete: 'stop',
  completed: 'stop',
  max_tokens: 'length',
  model_length: 'length',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  safety: 'content_filter',
  sensitive: 'content_filter',
};

function finishOf(reason: JsonValue | undefined): string {
  if (typeof reason !== 'string') return '';
  const plain = reason.toLowerCase();
  return reasons[plain] ?? plain;
}

/** Objects of figures within those of a usage: the writes of a cache by their life stand two levels deep. */
const deepestFigures = 2;

/** The usage with numbers alone; null for none. */
function usageOf(value: JsonValue | undefined, depth = 0): JsonObject | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value).flatMap(([name, count]): (readonly [string, JsonValue])[] => {
    if (isObject(count)) return depth >= deepestFigures ? [] : [[name, usageOf(count, depth + 1) ?? {}]];
    const figure = typeof count === 'string' && count.trim() !== '' ? Number(count) : count;
    return typeof figure === 'number' && Number.isFinite(figure) ? [[name, figure]] : [];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
