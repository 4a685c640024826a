import { toJson } from '@vitrine/core/internal/kit/to-json';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import { textBytes } from '@vitrine/core/internal/run/estimate-call';
import { redact } from '../redact.ts';

/** An answer: its items in order, and where the rest begins. */
export type QuestionAnswer = {
  readonly items: readonly JsonValue[];
  /** The cursor of the next part; null at the end. */
  readonly more: string | null;
};

export const mostBytes = 2_048;
/** Bytes that the frame of an answer takes, its cursor included. */
const frameBytes = 48;
const pieceBytes = 1_200;
/** Lengths to which the texts of an item are cut, one after the other, until it fits. */
const lengths = [400, 160, 60, 20];
/** Levels of an item that are shown; what is deeper is shown as JSON text. */
const deepest = 8;

const bytesOf = (value: unknown): number => textBytes(JSON.stringify(value));

/** The part of an answer that begins at a cursor, without secrets and within the bytes of an answer. */
export function fitAnswer(items: readonly unknown[], after: string | undefined): QuestionAnswer {
  const from = Math.max(0, Number.parseInt(after ?? '0', 10) || 0);
  const fitting: JsonValue[] = [];
  let bytes = frameBytes;
  for (let index = from; index < items.length; index++) {
    const item = fitItem(redact(toJson(items[index])) as JsonValue);
    bytes += bytesOf(item) + 1;
    if (bytes > mostBytes && fitting.length > 0) return { items: fitting, more: String(index) };
    fitting.push(item);
  }
  return { items: fitting, more: null };
}

/** The item itself where it fits, otherwise with shorter texts, and at last as a note of its size. */
function fitItem(item: JsonValue): JsonValue {
  if (bytesOf(item) <= mostBytes - frameBytes) return item;
  for (const length of lengths) {
    const shorter = cut(item, length, deepest);
    if (bytesOf(shorter) <= mostBytes - frameBytes) return shorter;
  }
  return { tooLong: `${bytesOf(item)} bytes; ask \`stateAt\` for a part of it` };
}

function cut(value: JsonValue, length: number, depth: number): JsonValue {
  if (typeof value === 'string') return cutToLength(value, length);
  if (depth === 0) return brief(value, length);
  if (Array.isArray(value)) {
    const rest = value.length - 20;
    const kept = value.slice(0, 20).map((item: JsonValue) => cut(item, length, depth - 1));
    return rest > 0 ? [...kept, `… ${rest} more`] : kept;
  }
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value);
  const kept = names
    .slice(0, 40)
    .map((name) => [name, cut((value as JsonObject)[name] ?? null, length, depth - 1)]);
  if (names.length > 40) kept.push(['…', `${names.length - 40} more keys`]);
  return Object.fromEntries(kept) as JsonObject;
}

/** A text of at most a number of characters, which says how many are left out. */
export function cutToLength(text: string, length: number): string {
  return text.length <= length + 30
    ? text
    : `${text.slice(0, length)}… ${text.length - length} more characters`;
}

/** A value in at most a number of characters: itself, or what it is. */
export function brief(value: unknown, length = 160): JsonValue {
  const json = redact(toJson(value ?? null)) as JsonValue;
  if (typeof json === 'string') return cutToLength(json, length);
  if (JSON.stringify(json).length <= length) return json;
  return cutToLength(JSON.stringify(json), length);
}

/** A long text in pieces that fit into an answer, without secrets; a short one in one piece. */
export function piecesOf(text: string): string[] {
  const safe = redact(text) as string;
  const pieces: string[] = [];
  let piece = '';
  let bytes = 0;
  for (const character of safe) {
    const more = bytesOf(character) - 2;
    if (bytes + more > pieceBytes) {
      pieces.push(piece);
      [piece, bytes] = ['', 0];
    }
    piece += character;
    bytes += more;
  }
  return [...pieces, piece];
}
