/** Measures of a JSON text, taken before it is parsed. */
export type JsonMeasure = {
  /** Nesting depth of objects and lists. */
  readonly depth: number;
  /** Characters in long strings, mostly files. They cost almost nothing to parse. */
  readonly longTexts: number;
};

const longText = 1024;
const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/** Measures a text in one pass, also a text that is no JSON. */
export function measureJson(text: string): JsonMeasure {
  let [depth, deepest, longTexts] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfText(text, at);
      if (end - at > longText) longTexts += end - at;
      at = end;
    } else if (code === openObject || code === openList) {
      if (++depth > deepest) deepest = depth;
    } else if (code === closeObject || code === closeList) depth--;
  }
  return { depth: deepest, longTexts };
}

/** The index of the closing quote of the string that begins at `start`, or the end of the text when there is none. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}
