import type { JsonObject, JsonValue } from '@vitrine/core';
import { isObject } from '../kit/is-object.ts';

/** An event of a streamed answer: its name, '' for none, and its data. */
export type Frame = { readonly event: string; readonly value: JsonObject };

/** Stands for an event that nobody can read. The package of a provider tells it as an error, which is counted and skipped. */
export const unreadable = 'unreadable';

export type Sent = Frame | typeof unreadable;

/** An event whose name is the type of its value. */
export function frameOf(value: JsonObject): Frame {
  return { event: String(value['type']), value };
}

/** Reads the events of one answer as servers in the wild send them. */
export type FrameReader = {
  /** The events that the provider's package gets in place of one that came. */
  readonly read: (frame: Frame) => readonly Sent[];
  /** The events in place of one whose data is no JSON object. */
  readonly replaceLost: () => readonly Sent[];
  /** The events behind the last one. */
  readonly end: () => readonly Sent[];
};

/** The JSON object that a call sends; an empty one for any other. */
function requestIn(init: RequestInit | undefined): JsonObject {
  const [request] = (typeof init?.body === 'string' ? dataOf(init.body) : null) ?? [];
  return request ?? {};
}

/** Wraps `fetch` so that each successful answer consists of events that the provider's package reads. */
export function readableAnswers(
  fetch: typeof globalThis.fetch,
  createReader: (request: () => JsonObject) => FrameReader,
): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null || !response.ok) return response;
    const { status, statusText } = response;
    const headers = new Headers(response.headers);
    // The package reads events, whatever the server calls them.
    headers.set('content-type', 'text/event-stream');
    return new Response(
      readableBody(
        response.body,
        createReader(() => requestIn(init)),
      ),
      { status, statusText, headers },
    );
  };
}

/** Read by hand, because a transform stream takes three times as long. */
function readableBody(body: ReadableStream<Uint8Array>, reader: FrameReader): ReadableStream<Uint8Array> {
  const source = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const frames = createFrames(reader);
  return new ReadableStream(
    {
      async pull(out) {
        for (;;) {
          const { done, value } = await source.read();
          const text = done
            ? frames.end(decoder.decode())
            : frames.add(decoder.decode(value, { stream: true }));
          if (text !== '') out.enqueue(encoder.encode(text));
          if (done) return out.close();
          if (text !== '') return;
        }
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The fields of server-sent events, and `error`, which llama.cpp writes in place of `data`. */
const field = /^(data|event|id|retry|error) ?: ?/;

/** An error that a server writes as text in place of JSON. */
const errorText = /^error: ?([^]+)/i;

/** Joins lines to events. JSON that stands on lines of its own is an event as well, over as many lines as it takes. */
function createFrames(reader: FrameReader) {
  const lines = createLines();
  let event = '';
  let data: string[] = [];
  /** Lines that belong to no field. */
  let bare: string[] = [];
  let isOfEvents = false;

  function endEvent(): string {
    const text = data.join('\n');
    const whole = dataOf(text);
    // Servers that end each event with one line feed have several of them in one.
    const sent =
      whole === null && data.length > 1
        ? data.flatMap((one) => sentOf(one, dataOf(one)))
        : sentOf(text, whole);
    event = '';
    data = [];
    return sent.map(textOf).join('');
  }

  function sentOf(text: string, values: readonly JsonObject[] | null): readonly (Sent | 'done')[] {
    if (text.trim() === '') return [];
    if (text.trim() === '[DONE]') return ['done'];
    const said = values === null ? (event === 'error' ? text : errorText.exec(text)?.[1]) : undefined;
    if (said !== undefined) return reader.read({ event: 'error', value: { error: { message: said } } });
    return values === null ? reader.replaceLost() : values.flatMap((value) => reader.read({ event, value }));
  }

  function endBare(): string {
    const text = bare.join('\n').trim();
    bare = [];
    if (text === '') return '';
    const values = dataOf(text);
    // Between events, other lines are no part of the answer; a body of such lines is a page or a message.
    const sent = values === null ? (isOfEvents ? [] : reader.replaceLost()) : sentOf(text, values);
    return sent.map(textOf).join('');
  }

  function takeLine(line: string): string {
    if (line === '') return endBare() + endEvent();
    if (line.startsWith(':')) return '';
    const found = field.exec(line);
    if (found === null && data.length > 0 && !/^\s*[[{]/.test(line)) {
      data.push(line);
      return '';
    }
    if (found === null) {
      bare.push(line);
      return bare.length === 1 && dataOf(line) !== null ? endBare() : '';
    }
    isOfEvents = true;
    const before = endBare();
    const value = line.slice(found[0].length);
    if (found[1] === 'event') event = value.trim();
    else if (found[1] === 'data') data.push(value);
    else if (found[1] === 'error') return before + errorLine(value);
    return before;
  }

  function errorLine(value: string): string {
    const sent = (dataOf(value) ?? [{ message: value }]).flatMap((error) =>
      reader.read({ event: '', value: 'error' in error ? error : { error } }),
    );
    return sent.map(textOf).join('');
  }

  return {
    /** Adds text that came. Returns the text of the events that it completes. */
    add: (text: string): string => lines.add(text).map(takeLine).join(''),
    /** Adds the last text, and ends the last event, which some servers do not end. */
    end: (text: string): string =>
      [...lines.end(text), ''].map(takeLine).join('') + reader.end().map(textOf).join(''),
  };
}

/** The objects of a text: one, or those of a list. Null for anything else. */
function dataOf(text: string): readonly JsonObject[] | null {
  try {
    // Some gateways write the field's name twice.
    const value: unknown = JSON.parse(text.replace(/^(?:data: ?)+/, ''));
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return all.every(isObject) ? all : null;
  } catch {
    return null;
  }
}

function textOf(sent: Sent | 'done'): string {
  if (sent === 'done') return 'data: [DONE]\n\n';
  if (sent === unreadable) return `data: ${unreadable}\n\n`;
  const name = sent.event === '' ? '' : `event: ${sent.event}\n`;
  return `${name}data: ${JSON.stringify(sent.value)}\n\n`;
}

/** Cuts text into lines, which end with a line feed, a carriage return, or both. */
function createLines() {
  const ending = /\r\n|\r|\n/g;
  let rest = '';
  let searched = 0;

  function cut(text: string, isLast: boolean): string[] {
    rest += text;
    const lines: string[] = [];
    let start = 0;
    ending.lastIndex = searched;
    for (let found = ending.exec(rest); found !== null; found = ending.exec(rest)) {
      // A line feed may follow.
      if (found[0] === '\r' && ending.lastIndex === rest.length && !isLast) break;
      lines.push(rest.slice(start, found.index));
      start = ending.lastIndex;
    }
    rest = rest.slice(start);
    searched = Math.max(0, rest.length - 1);
    return lines;
  }

  return { add: (text: string) => cut(text, false), end: (text: string) => [...cut(text, true), rest] };
}

/** The error that an event tells, in the shape of OpenAI; null for an event that is none. */
export function errorIn(value: JsonObject): JsonObject | null {
  const { error, errors, object, type, detail, choices } = value;
  if (error !== undefined && !isEmpty(error)) return errorOf(error, value);
  if (object === 'error' || type === 'error') return errorOf(value, value);
  // Cloudflare's list of errors.
  const [first] = Array.isArray(errors) && choices === undefined ? errors : [];
  if (first !== undefined) return errorOf(first, value);
  const { error_message: message, error_type: kind } = value;
  if (typeof message === 'string' && message !== '') return errorOf({ message, type: kind ?? null }, value);
  // FastAPI's errors, on which many servers are built.
  if (detail !== undefined && detail !== null && choices === undefined) return errorOf(detail, value);
  const isPlain = choices === undefined && typeof value['message'] === 'string';
  return isPlain && codeOf(value) !== null ? errorOf(value, value) : null;
}

/** True for an error that says nothing, which some servers send with each event. */
function isEmpty(error: JsonValue): boolean {
  return !error || (isObject(error) && Object.keys(error).length === 0);
}

function errorOf(error: JsonValue, around: JsonObject): JsonObject {
  const inner = isObject(error) ? error : {};
  const said = [error, inner['message'], inner['msg'], inner['detail'], around['message']].find(
    (one) => typeof one === 'string' && one !== '',
  );
  const code = codeOf(inner) ?? codeOf(around);
  const type = [inner['type'], inner['status'], inner['code']].find((one) => typeof one === 'string');
  return {
    message: said ?? JSON.stringify(error),
    ...(type === undefined ? {} : { type }),
    ...(code === null ? {} : { code }),
  };
}

/** The status of an error, as a number or digits; else its code as text. */
function codeOf(error: JsonObject): number | string | null {
  const { code, status, status_code: statusCode } = error;
  const all = [code, status, statusCode];
  const figure = all.map(Number).find((one) => one >= 400 && one < 600);
  return figure ?? (all.find((one) => typeof one === 'string' && one !== '') as string | undefined) ?? null;
}
