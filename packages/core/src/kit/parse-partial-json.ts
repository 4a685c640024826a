import type { JsonValue } from './json.ts';

/**
 * As much of a JSON text as is there: strings, arrays and objects that break off are taken as they stand, a number as far as
 * it has come, and a key without a value or half a word is left out. Undefined when there is nothing to read.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const reader = { text, at: 0 };
  return readValue(reader);
}

type Reader = { readonly text: string; at: number };

function skipSpace(reader: Reader): string {
  while (' \n\r\t'.includes(reader.text[reader.at] ?? 'x')) reader.at++;
  return reader.text[reader.at] ?? '';
}

function readValue(reader: Reader): JsonValue | undefined {
  const first = skipSpace(reader);
  if (first === '{') return readObject(reader);
  if (first === '[') return readArray(reader);
  if (first === '"') return readString(reader).value;
  return readWord(reader);
}

function readArray(reader: Reader): JsonValue[] {
  const list: JsonValue[] = [];
  reader.at++;
  while (skipSpace(reader) !== ']' && reader.at < reader.text.length) {
    const value = readValue(reader);
    if (value === undefined) return stop(reader, list);
    list.push(value);
    if (skipSpace(reader) === ',') reader.at++;
  }
  reader.at++;
  return list;
}

function readObject(reader: Reader): { [key: string]: JsonValue } {
  const entries: [string, JsonValue][] = [];
  reader.at++;
  while (skipSpace(reader) === '"') {
    const key = readString(reader);
    if (!key.isWhole || skipSpace(reader) !== ':') return stop(reader, Object.fromEntries(entries));
    reader.at++;
    const value = readValue(reader);
    if (value === undefined) return stop(reader, Object.fromEntries(entries));
    entries.push([key.value, value]);
    if (skipSpace(reader) === ',') reader.at++;
  }
  if (skipSpace(reader) === '}') reader.at++;
  else reader.at = reader.text.length;
  // Unlike an assignment this keeps a key `__proto__` as the data that it is.
  return Object.fromEntries(entries);
}

function readString(reader: Reader): { readonly value: string; readonly isWhole: boolean } {
  const start = reader.at++;
  while (reader.at < reader.text.length && reader.text[reader.at] !== '"')
    reader.at += reader.text[reader.at] === '\\' ? 2 : 1;
  const isWhole = reader.text[reader.at] === '"';
  reader.at = Math.min(reader.at + 1, reader.text.length);
  const raw = reader.text.slice(start + 1, isWhole ? reader.at - 1 : reader.at);
  // An escape may be cut in the middle: at most the last six characters belong to it.
  for (let cut = 0; cut <= 6; cut++) {
    const value = parse(`"${raw.slice(0, raw.length - cut)}"`);
    if (typeof value === 'string') return { value, isWhole };
  }
  return { value: '', isWhole: false };
}

function readWord(reader: Reader): JsonValue | undefined {
  const word = /^[\w+.-]*/.exec(reader.text.slice(reader.at, reader.at + 400))?.[0] ?? '';
  reader.at += word.length;
  // The rest of a number may still come.
  const begun = reader.at === reader.text.length ? /^-?\d+(\.\d+)?/.exec(word)?.[0] : undefined;
  const value = parse(word, begun);
  return value === undefined ? stop(reader, undefined) : value;
}

function stop<Value>(reader: Reader, value: Value): Value {
  reader.at = reader.text.length;
  return value;
}

/** The value of a text, or else of a shorter one. */
function parse(text: string, shorter?: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return shorter === undefined ? undefined : parse(shorter);
  }
}
