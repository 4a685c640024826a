/** What a JSON text would become, told before it is parsed. */
export type JsonMeasure = {
  /** Objects and lists in each other. */
  readonly depth: number;
  /** Characters in long texts, which cost next to nothing to parse, however long: files above all. */
  readonly longTexts: number;
};

const longText = 1024;
const [quote, backslash, openList, closeList, openObject, closeObject] = [34, 92, 91, 93, 123, 125];

/** Measures in one pass. A text that is no JSON gets some measure too. */
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

/** Where the text that begins at `start` has its closing quote; the end of all when it has none. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}
