import { spendUnits } from './work.ts';

/** The text itself, or `''` for other values; for fields of foreign objects. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text itself, or null for other values. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The parsed address, or null when it is none. `URL.canParse` and `URL.parse` are newer than Safari 16. */
export function urlOf(address: string, base?: string): URL | null {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
}

/** The text with U+FFFD for each lone half of a surrogate pair: providers refuse a request with one. */
export function wellFormed(text: string): string {
  // With the flag `u` a whole pair is one character, so that only lone halves match.
  return /\p{Surrogate}/u.test(text) ? text.replaceAll(/\p{Surrogate}/gu, '\uFFFD') : text;
}

/** The first `length` characters of a text; one less where that would divide a surrogate pair. */
export function cutText(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff && text.length > length ? length - 1 : length);
}

/** Removes the characters of a set from the end of a text; a regular expression would be quadratic. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

const fence = '```';
/** Longest line that opens a fence, in characters. */
const longestLine = 200;

/** The text within the Markdown fence that models like to put around an answer; the text itself without a fence. */
export function stripFence(text: string): string {
  spendUnits(text.length);
  const trimmed = text.trim();
  if (!trimmed.startsWith(fence) || !trimmed.endsWith(fence)) return text;
  const start = endOfFence(trimmed, 0);
  const end = trimmed.length - fence.length;
  return typeof start === 'number' && start <= end ? trimmed.slice(start, end) : text;
}

/** Index after the line that opens a fence; `open` when the text ends within it, null when there is none. */
export function endOfFence(text: string, at: number): number | 'open' | null {
  const line = text.slice(at, at + longestLine);
  const end = line.indexOf('\n');
  const said = end < 0 ? line : line.slice(0, end);
  spendUnits(said.length);
  const isBegun = said.startsWith(fence) || (end < 0 && fence.startsWith(said));
  // The name of a language follows.
  if (!isBegun || !/^\w*$/.test(said.slice(fence.length).trim())) return null;
  if (end >= 0) return at + end + 1;
  return line.length < longestLine ? 'open' : null;
}

/** Describes a value for an error message, without repeating long or private content. */
export function shownShape(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value;
}
