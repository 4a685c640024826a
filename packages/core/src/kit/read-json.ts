import type { JsonValue } from './json.ts';
import { spendUnits } from './work-units.ts';

/** The bounds of a JSON text. */
export type JsonBounds = {
  /** Number of objects and arrays inside each other. */
  readonly depth: number;
  /** Number of characters. */
  readonly length: number;
};

/** The bounds of JSON in the text of a model. */
export const modelJson: JsonBounds = { depth: 100, length: 16 * 2 ** 20 };
/**
 * The bounds of JSON in documents, rows and other texts of this library: deeper than any state, and as long as a text
 * may be.
 */
export const documentJson: JsonBounds = { depth: 1_000, length: 2 ** 29 };

/** The value of a text, or a clause that says why it is invalid. */
export type JsonReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly what: string };

/**
 * Reads a whole JSON text and never throws. The platform's parser has no bounds, so depth and length are measured
 * before: all code that walks the result relies on them.
 */
export function readJson(text: string, { depth, length }: JsonBounds = documentJson): JsonReading {
  if (text.length > length) return { ok: false, what: `it has more than ${length} characters` };
  spendUnits(text.length);
  if (text.length > depth && isDeeper(text, depth))
    return { ok: false, what: `it is nested deeper than ${depth} levels` };
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch {
    return { ok: false, what: 'it is no JSON' };
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/**
 * True when the text is nested deeper than allowed; brackets within strings do not count. The answer may be wrong for
 * invalid JSON, which the parser rejects anyway.
 */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openObject) {
      if (++depth > most) return true;
    } else if (code === closeList || code === closeObject) depth--;
  }
  return false;
}

/** Index of the quotation mark that ends a string; the text's length when there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) break;
    if (code === backslash) at++;
  }
  return at;
}
