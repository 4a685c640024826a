import { equalJson, type JsonValue } from '@vitrine/core/internal/kit/json';
import { parsedJson } from '@vitrine/inspect/internal/foreign/foreign-values';
import { redact } from '@vitrine/inspect';
import { recordTexts } from './record-texts.ts';
import type { WireRequest } from './wire/api.ts';

/** A place of a request by its content, as the page knows it, and the content that takes its place. */
export type RequestChange = {
  readonly of: 'system' | 'message' | 'result';
  readonly before: JsonValue;
  readonly after: JsonValue;
};

/** Most places that are tried. */
const mostPlaces = 20;

/**
 * The JSON of a request with one change, and every other byte as it was: of a text, or of the block of it that has the
 * change.
 * @param read The reader of the API.
 * @throws Error with the sentence for a change that cannot be made.
 */
export function changedJson(
  json: string,
  read: (json: string) => WireRequest,
  { of, before, after }: RequestChange,
): string {
  const valueOf = (text: string): JsonValue => (of === 'result' ? parsedJson(text) : text);
  const kinds = { user: 'message', assistant: 'message', system: 'system', tool: 'result' } as const;
  const textsOf = ({
    system,
    messages,
  }: WireRequest): { readonly role: keyof typeof kinds; text: string }[] =>
    [{ role: 'system' as const, text: system ?? '' }, ...messages].map(({ role, text }) => ({ role, text }));
  const texts = textsOf(read(json));
  const meant = texts.findLast(
    ({ role, text }) => kinds[role] === of && equalJson(redact(valueOf(text)), before),
  );
  if (meant === undefined) throw new Error(recordTexts.noPlace);
  const { text } = meant;
  if (!equalJson(valueOf(text), before)) throw new Error(recordTexts.hidden);
  meant.text = typeof after === 'string' ? after : JSON.stringify(after);
  const { from, kept } = differenceOf(text, meant.text);
  const end = text.length - kept;
  const parts = new Set<string>();
  JSON.parse(json, (_key, value: unknown) => (typeof value === 'string' && parts.add(value), value));
  const places = [...parts].flatMap((part) => {
    // Where the part can begin and hold the whole change.
    const first = Math.max(0, end - part.length);
    const at = text.slice(first, from + part.length).lastIndexOf(part) + first;
    if (at < first || part === '') return [];
    const changed =
      part.slice(0, from - at) + meant.text.slice(from, meant.text.length - kept) + part.slice(end - at);
    const literal = JSON.stringify(part);
    const next = JSON.stringify(changed);
    return indexesOf(literal, json).map((index) => ({ index, length: literal.length, next }));
  });
  // Gemini has the value of a result, and the others its text.
  const value = of === 'result' ? json.lastIndexOf(text) : -1;
  if (value !== -1) places.push({ index: value, length: text.length, next: meant.text });
  for (const { index, length, next } of [...places].sort((a, b) => a.index - b.index).slice(-mostPlaces)) {
    const changed = json.slice(0, index) + next + json.slice(index + length);
    try {
      if (equalJson(textsOf(read(changed)), texts)) return changed;
    } catch {
      // It is no JSON any more, so the place was another one.
    }
  }
  throw new Error(recordTexts.noPlace);
}

function indexesOf(part: string, text: string): readonly number[] {
  const all: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) all.push(at);
  return all;
}

/** The index at which two texts begin to differ, and how many characters at their ends are equal. */
function differenceOf(text: string, next: string): { readonly from: number; readonly kept: number } {
  const most = Math.min(text.length, next.length);
  let [from, kept] = [0, 0];
  while (from < most && text[from] === next[from]) from++;
  while (kept < most - from && text.at(-1 - kept) === next.at(-1 - kept)) kept++;
  return { from, kept };
}
