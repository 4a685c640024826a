import type { JsonObject, JsonValue } from '@vitrine/core';
import { readJson } from '@vitrine/core/internal/kit/json';
import { isObject } from '../kit/is-object.ts';
import { createHarmony, harmonyStarts } from './harmony.ts';
import { readCall, type OfferedTools, type TextCall, type TextReader } from './offered-calls.ts';
import { overlap, type TextPiece } from './think-tags.ts';

/** The marks before calls in the templates of Hermes, Qwen, Llama and Mistral, the one of code blocks, and those of harmony. */
const marks = ['<tool_call>', '<function=', '[TOOL_CALLS]', '<|python_tag|>', '```', ...harmonyStarts];
const anyMark = /<tool_call>|<function=|\[TOOL_CALLS\]|<\|python_tag\|>|```|<\|channel\|>|<\|start\|>/g;
/** The longest text that is kept back for calls, in characters. Answers with more are text. */
const mostKept = 1_000_000;

/**
 * Calls end an answer, so the text from the first mark on is kept back. It becomes calls when it holds nothing else and
 * the request offers each of them; otherwise it stays text. Marks in a code block are quoted.
 */
export function createTextCalls(tools: OfferedTools): TextReader {
  const heads = [...tools.keys()].flatMap(headsOf);
  let kept = '';
  let isAtStart = heads.length > 0;
  /** True from the first mark on. */
  let isHeld = false;
  let isInCode = false;
  /** The last character of the text so far. */
  let last = '';
  let harmony: TextReader | null = null;

  function cut(length: number): readonly TextPiece[] {
    const text = kept.slice(0, length);
    kept = kept.slice(length);
    last = text.at(-1) ?? last;
    return text === '' ? [] : [{ isThought: false, text }];
  }

  /** Looks for a mark in the kept text. */
  function search(): readonly (TextPiece | TextCall)[] {
    anyMark.lastIndex = 0;
    let searched = 0;
    for (let found = anyMark.exec(kept); found !== null; found = anyMark.exec(kept)) {
      const [text] = found;
      searched = anyMark.lastIndex;
      const before = found.index === 0 ? last : kept[found.index - 1];
      const isHarmony = harmonyStarts.includes(text);
      if (text === '```') isInCode = !isInCode;
      else if (!isInCode && before !== '`' && (isHarmony || tools.size > 0))
        return begin(found.index, isHarmony);
    }
    const rest = kept.slice(searched);
    return cut(kept.length - Math.max(...marks.map((one) => overlap(rest, one))));
  }

  function begin(at: number, isHarmony: boolean): readonly (TextPiece | TextCall)[] {
    const before = cut(at);
    if (!isHarmony) {
      isHeld = true;
      return before;
    }
    harmony = createHarmony(tools);
    const inside = harmony.add(kept);
    kept = '';
    return [...before, ...inside];
  }

  /** True while the answer may be, or is, a call without any mark. */
  function mayBeBare(): boolean {
    const head = kept.slice(0, 1000).replaceAll(/\s/g, '');
    isHeld = heads.some((one) => head.startsWith(one));
    isAtStart = !isHeld && kept.length < 1000 && heads.some((one) => one.startsWith(head));
    return isHeld || isAtStart;
  }

  return {
    add(text) {
      if (harmony !== null) return harmony.add(text);
      kept += text;
      if (isHeld && kept.length <= mostKept) return [];
      if (isHeld) return cut(kept.length);
      return isAtStart && mayBeBare() ? [] : search();
    },
    end() {
      if (harmony !== null) return harmony.end();
      const calls = isHeld ? callsIn(kept.trim(), tools) : null;
      if (calls === null) return cut(kept.length);
      kept = '';
      return calls;
    },
  };
}

/** The beginnings of a call that stands as bare JSON, without white space. */
function headsOf(name: string): readonly string[] {
  const call = `"name":${JSON.stringify(name)},"`;
  return [`{${call}`, `[{${call}`, `{"type":"function",${call}`];
}

/** The calls of a text that holds nothing else; null for any other text. */
function callsIn(text: string, tools: OfferedTools): readonly TextCall[] | null {
  const calls: TextCall[] = [];
  const rest = createRest(text);
  while (!rest.isOver()) {
    const found = rest.take('[TOOL_CALLS]') ? mistralCalls(rest) : markedCalls(rest, tools);
    const named = found?.map((call) => readCall(call, tools)) ?? [null];
    if (!named.every((call) => call !== null)) return null;
    calls.push(...named);
    while (ends.some(rest.take)) continue;
  }
  return calls.length === 0 ? null : calls;
}

const ends = ['</tool_call>', '<|python_end|>', '<|eom_id|>', '<|eot_id|>', '<|im_end|>', '</s>', ';'];

type Rest = ReturnType<typeof createRest>;

function createRest(text: string) {
  let at = 0;
  function passSpace(): void {
    while (at < text.length && text[at]?.trim() === '') at++;
  }
  return {
    isOver(): boolean {
      passSpace();
      return at >= text.length;
    },
    /** Passes white space and the mark, when it is next. */
    take(mark: string): boolean {
      passSpace();
      if (!text.startsWith(mark, at)) return false;
      at += mark.length;
      return true;
    },
    /** Passes the text before the mark; null when the mark does not follow. */
    before(mark: string): string | null {
      const end = text.indexOf(mark, at);
      if (end < 0) return null;
      const passed = text.slice(at, end);
      at = end;
      return passed;
    },
    /** Passes the next JSON value; undefined for none. */
    json(): JsonValue | undefined {
      passSpace();
      if (text[at] !== '{' && text[at] !== '[') return undefined;
      const end = endOfJson(text, at);
      const read = readJson(text.slice(at, end));
      if (!read.ok) return undefined;
      at = end;
      return read.value;
    },
  };
}

/** The end of the object or list that begins there, or of the text. */
function endOfJson(text: string, from: number): number {
  const sign = /["\\[\]{}]/g;
  sign.lastIndex = from;
  let depth = 0;
  let isInText = false;
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const [one] = found;
    if (one === '"') isInText = !isInText;
    else if (one === '\\') sign.lastIndex++;
    else if (!isInText) depth += one === '{' || one === '[' ? 1 : -1;
    if (depth === 0 && !isInText && one !== '"') return sign.lastIndex;
  }
  return text.length;
}

/** `[{"name":…,"arguments":…}]`, `name[ARGS]{…}` or `name{…}`, by the version of the template. */
function mistralCalls(rest: Rest): readonly JsonValue[] | null {
  const list = rest.json();
  if (list !== undefined) return Array.isArray(list) ? list : [list];
  const name = rest.before('{');
  const input = rest.json();
  if (name === null || input === undefined) return null;
  return [{ name: /^[\w.-]*/.exec(name.trim())?.[0] ?? '', arguments: input }];
}

function markedCalls(rest: Rest, tools: OfferedTools): readonly JsonValue[] | null {
  const isTagged = rest.take('<tool_call>');
  if (!isTagged) rest.take('<|python_tag|>');
  if (rest.take('<function=')) return functionCall(rest, tools);
  const value = rest.json();
  if (value !== undefined) return Array.isArray(value) ? value : [value];
  return isTagged ? pairedCall(rest, tools) : null;
}

/** `<function=name>` with an object, or with a tag for each parameter, as Llama and Qwen's coder write it. */
function functionCall(rest: Rest, tools: OfferedTools): readonly JsonValue[] | null {
  const name = rest.before('>')?.trim();
  if (name === undefined || !rest.take('>')) return null;
  const whole = rest.json();
  const input: Record<string, JsonValue> = {};
  while (whole === undefined && rest.take('<parameter=')) {
    const key = rest.before('>')?.trim();
    const value = rest.take('>') ? rest.before('</parameter>') : null;
    if (key === undefined || value === null) return null;
    rest.take('</parameter>');
    input[key] = valueOf(value, tools.get(name), key);
  }
  return rest.take('</function>') || rest.isOver() ? [{ name, arguments: whole ?? input }] : null;
}

/** A name with `<arg_key>` and `<arg_value>` for each argument, as GLM writes it. */
function pairedCall(rest: Rest, tools: OfferedTools): readonly JsonValue[] | null {
  const name = rest.before('<')?.trim();
  const input: Record<string, JsonValue> = {};
  while (rest.take('<arg_key>')) {
    const key = rest.before('</arg_key>')?.trim();
    rest.take('</arg_key>');
    const value = rest.take('<arg_value>') ? rest.before('</arg_value>') : null;
    if (name === undefined || key === undefined || value === null) return null;
    rest.take('</arg_value>');
    input[key] = valueOf(value, tools.get(name), key);
  }
  return name === undefined ? null : [{ name, arguments: input }];
}

/** A value as the schema has it: text, or else JSON. */
function valueOf(raw: string, schema: JsonObject | undefined, key: string): JsonValue {
  const text = raw.replace(/^\n/, '').replace(/\n$/, '');
  const properties = schema?.['properties'];
  const property = isObject(properties) ? properties[key] : undefined;
  if (isObject(property) && property['type'] === 'string') return text;
  const read = readJson(text);
  return read.ok ? read.value : text;
}
