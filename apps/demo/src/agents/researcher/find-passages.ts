/** A paragraph of a page, in plain words. */
export type Passage = { readonly page: string; readonly text: string };

/**
 * The paragraphs of a page of Markdown that hold words of a query, best first: those with more of its words, and more
 * of the rare ones. Code and tables are no paragraphs.
 */
export function findPassages(page: string, markdown: string, query: string): readonly Passage[] {
  const words = wordsOf(query);
  const found = paragraphsOf(markdown).map((text) => ({ text, hits: hitsIn(text, words) }));
  return found
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || a.text.length - b.text.length)
    .map(({ text }) => ({ page, text }));
}

/** How many words of the query stand in a text, by their beginnings, so that `budget` finds `budgets`. */
export function hitsIn(text: string, words: readonly string[]): number {
  const there = wordsOf(text);
  return words.filter((word) => there.some((other) => other.startsWith(stem(word)))).length;
}

/** The words of a text, in small letters. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed)$/, '') : word;
}

function paragraphsOf(markdown: string): readonly string[] {
  return markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .split(/\n\s*\n|\n(?=- )/)
    .map((block) => block.trim())
    .filter((block) => block !== '' && !/^(?:#|\||<)/.test(block))
    .map((block) => block.replace(/^- /, '').replaceAll(/\s+/g, ' '));
}
