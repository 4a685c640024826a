import { isPlainObject, type JsonValue, type JsonBounds, modelJson } from './json.ts';
import { spendUnits } from './work.ts';
import { endOfFence } from './text.ts';

export type PartialJsonReader = ReturnType<typeof createPartialJsonReader>;

/**
 * Parses the beginning of a JSON text. Strings, arrays and objects that break off are taken as they are, and a number
 * as far as it goes. A key without a value or half a word is left out. A value nested too deep or too long ends the
 * text. Returns undefined when there is no value.
 */
export function parsePartialJson(text: string): JsonValue | undefined {
  const reader = createPartialJsonReader();
  reader.read(text);
  return reader.value();
}

/** The value of a text, or the place at which it is no JSON. */
export type ModelJsonReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly at: number };

/**
 * Reads a whole JSON text as models write it: in a fence, with a comma too many, with line breaks within texts or
 * Python's words, behind an empty object or twice. A text that breaks off is no whole one.
 */
export function readModelJson(text: string): ModelJsonReading {
  let start = 0;
  for (;;) {
    const state = emptyState(modelJson, text);
    state.at = start;
    while (!state.isOver && state.at < text.length && readToken(state)) continue;
    spendUnits(state.at - start + 1);
    const { root, at } = state;
    // A word at the end of a text is a value as well.
    const value =
      root === undefined && state.open.length === 0 && state.string === null ? begunWord(state) : root;
    // A number at the end is read up to its start, because it may go on.
    const isBegun = !state.isOver && begunWord(state) !== undefined;
    if (value === undefined) return { ok: false, at: isBegun ? text.length : at };
    const rest = root === undefined ? '' : text.slice(at).replace(/^[\s;`]+/, '');
    if (rest === '' || rest === text.slice(start, at).trim()) return { ok: true, value };
    const isEmpty = isPlainObject(value) && Object.keys(value).length === 0;
    if (!isEmpty || start > 0) return { ok: false, at };
    start = at;
  }
}

/** Open lists and objects with at most this many values are copied for every requested value. */
const smallCopy = 1024;
const unitsPerCharacter = 8;

/** Creates an incremental reader of JSON: it examines each character about once, however often it is asked. */
export function createPartialJsonReader(bounds: JsonBounds = modelJson) {
  const state = emptyState(bounds, '');
  let shown: { readonly value: JsonValue | undefined; readonly length: number } | null = null;

  return {
    /** Continues reading; the text has to begin with the one given before. */
    read(text: string): void {
      state.text = text.length > bounds.length ? text.slice(0, bounds.length) : text;
      const start = state.at;
      while (!state.isOver && state.at < state.text.length && readToken(state)) continue;
      spendUnits(state.at - start + 1);
    },
    /**
     * Returns the value so far: the same object until more is read, and undefined when there is none. Each new value
     * copies the lists and objects that are still open. While a large one is open, new values are made seldom enough
     * that copying costs at most eight units for each character.
     */
    value(): JsonValue | undefined {
      const { length } = state.text;
      const cost = state.open.reduce((sum, { values }) => sum + values.length, 0);
      const isDear =
        shown !== null && !state.isOver && cost - smallCopy > (length - shown.length) * unitsPerCharacter;
      if (shown !== null && (shown.length === length || isDear)) return shown.value;
      spendUnits(cost);
      shown = { value: valueSoFar(state), length };
      return shown.value;
    },
  };
}

function emptyState(bounds: JsonBounds, text: string): PartialJsonState {
  return { bounds, open: [], text, at: 0, string: null, root: undefined, isOver: false };
}

function valueSoFar(state: PartialJsonState): JsonValue | undefined {
  if (state.root !== undefined) return state.root;
  let value = begunValue(state);
  for (const { keys, values, key } of [...state.open].reverse()) {
    if (keys === null) value = value === undefined ? values.slice() : [...values, value];
    else
      value =
        value === undefined ? objectOf(keys, values) : objectOf([...keys, key ?? ''], [...values, value]);
  }
  return value;
}

/** The string or number at which the text ends, unless it is a key. */
function begunValue(state: PartialJsonState): JsonValue | undefined {
  const inner = state.open.at(-1);
  if (inner?.keys && (inner.key === null || inner.wantsColon)) return undefined;
  return state.string ?? (state.isOver ? undefined : begunWord(state));
}

// An iterative JSON reader, with a list of open values in place of the call stack.

/** A list or object that is not closed yet. */
type OpenJson = {
  /** Null for a list. */
  readonly keys: string[] | null;
  readonly values: JsonValue[];
  /** For an object: the key of the next value. */
  key: string | null;
  /** For an object: true after a key and before its colon. */
  wantsColon: boolean;
  /** True when one comma is allowed before the next value or key. */
  mayComma: boolean;
};

type PartialJsonState = {
  readonly bounds: JsonBounds;
  readonly open: OpenJson[];
  text: string;
  at: number;
  /** The string being read, so far; null outside of one. */
  string: string | null;
  /** The value at the root once it is complete. */
  root: JsonValue | undefined;
  /** True when nothing more is read: the value is complete, or the rest is invalid. */
  isOver: boolean;
};

/** Longest number in characters; no number of JavaScript is longer. */
const longestWord = 400;
/** Reads the next token; false when the token is not complete yet. */
function readToken(state: PartialJsonState): boolean {
  if (state.string !== null) return readString(state);
  const char = state.text[state.at] as string;
  if (' \n\r\t'.includes(char)) return move(state, 1);
  const inner = state.open.at(-1);
  if (inner === undefined) return char === '`' ? readFence(state) : beginValue(state, char);
  return inner.keys === null ? stepInList(state, inner, char) : stepInObject(state, inner, char);
}

function stepInList(state: PartialJsonState, list: OpenJson, char: string): boolean {
  if (char === ']') return close(state, list);
  if (char === ',' && list.mayComma) return comma(state, list);
  return beginValue(state, char);
}

function stepInObject(state: PartialJsonState, object: OpenJson, char: string): boolean {
  if (object.wantsColon) {
    if (char !== ':') return end(state);
    object.wantsColon = false;
    return move(state, 1);
  }
  if (object.key !== null) return beginValue(state, char);
  if (char === '}') return close(state, object);
  if (char === ',' && object.mayComma) return comma(state, object);
  return char === '"' ? beginString(state) : end(state);
}

function comma(state: PartialJsonState, inner: OpenJson): boolean {
  inner.mayComma = false;
  return move(state, 1);
}

function beginValue(state: PartialJsonState, char: string): boolean {
  if (char === '"') return beginString(state);
  if (char !== '[' && char !== '{') return readWord(state);
  if (state.open.length >= state.bounds.depth) return end(state);
  const keys = char === '{' ? [] : null;
  state.open.push({ keys, values: [], key: null, wantsColon: false, mayComma: false });
  return move(state, 1);
}

function beginString(state: PartialJsonState): boolean {
  state.string = '';
  return move(state, 1);
}

/** Reads up to the end of the string, its next escape, or the end of the text. */
function readString(state: PartialJsonState): boolean {
  const { text } = state;
  let stop = state.at;
  while (stop < text.length && text[stop] !== '"' && text[stop] !== '\\') stop++;
  state.string += text.slice(state.at, stop);
  state.at = stop;
  if (text[stop] === '"') return endString(state);
  return text[stop] === '\\' && readEscape(state);
}

/** Reads an escape; one that is cut is read once it is complete. */
function readEscape(state: PartialJsonState): boolean {
  const { text, at } = state;
  const letter = text[at + 1];
  if (letter === undefined) return false;
  const size = letter === 'u' ? 6 : 2;
  const escape = text.slice(at, at + size);
  if (!/^\\(?:["\\/bfnrt]|u[\da-fA-F]*)$/.test(escape)) return end(state);
  if (escape.length < size) return false;
  state.string += JSON.parse(`"${escape}"`) as string;
  return move(state, size);
}

function endString(state: PartialJsonState): boolean {
  const value = state.string ?? '';
  state.string = null;
  move(state, 1);
  const inner = state.open.at(-1);
  if (inner?.keys && inner.key === null) {
    inner.key = value;
    inner.wantsColon = true;
    return true;
  }
  return put(state, value);
}

/** Reads a number, `true`, `false` or `null`; at the end of the text more of it may follow. */
function readWord(state: PartialJsonState): boolean {
  const word = wordAt(state);
  if (word === '' || word.length === longestWord) return end(state);
  if (state.at + word.length === state.text.length) {
    spendUnits(word.length);
    return false;
  }
  const value = parseWord(word);
  if (value === undefined) return end(state);
  move(state, word.length);
  return put(state, value);
}

function wordAt({ text, at }: PartialJsonState): string {
  return /^[\w+.-]*/.exec(text.slice(at, at + longestWord))?.[0] ?? '';
}

function begunWord(state: PartialJsonState): JsonValue | undefined {
  const word = wordAt(state);
  const value = parseWord(word);
  return value === undefined ? parseWord(/^-?\d+(?:\.\d+)?/.exec(word)?.[0] ?? '') : value;
}

/** The words of JSON, and those of Python, which models write in their place. */
const words: Readonly<Record<string, JsonValue>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
};

/** Parses a word. The platform's parser would throw for each unfinished word, which is far slower. */
function parseWord(word: string): JsonValue | undefined {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word)) return Number(word);
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

function readFence(state: PartialJsonState): boolean {
  const behind = endOfFence(state.text, state.at);
  if (behind === 'open') return false;
  return behind === null ? end(state) : move(state, behind - state.at);
}

function close(state: PartialJsonState, inner: OpenJson): boolean {
  state.open.pop();
  move(state, 1);
  return put(state, inner.keys === null ? inner.values : objectOf(inner.keys, inner.values));
}

/** Adds a complete value to its parent. */
function put(state: PartialJsonState, value: JsonValue): boolean {
  const inner = state.open.at(-1);
  if (inner === undefined) {
    state.root = value;
    return end(state);
  }
  if (inner.keys !== null) inner.keys.push(inner.key ?? '');
  inner.values.push(value);
  inner.key = null;
  inner.mayComma = true;
  return true;
}

/** `fromEntries` keeps a key `__proto__` as data, unlike an assignment. */
function objectOf(keys: readonly string[], values: readonly JsonValue[]): JsonValue {
  return Object.fromEntries(keys.map((key, at) => [key, values[at] as JsonValue]));
}

function move(state: PartialJsonState, characters: number): true {
  state.at += characters;
  return true;
}

function end(state: PartialJsonState): false {
  state.isOver = true;
  return false;
}
