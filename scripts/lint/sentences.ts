/** A sentence of a page that has too many words. */
export type LongSentence = { readonly words: number; readonly sentence: string };

/** The most words that a sentence of the guide or of a README may have. */
export const maxWords = 35;

/** The sentences of a Markdown page that have more than `maxWords` words. Code in a line counts as one word. */
export function longSentences(page: string): readonly LongSentence[] {
  return blocksOf(page)
    .flatMap((block) => block.split(/(?<=[.!?…][)”’"*_]*)(?<!\b(?:e\.g|i\.e|etc)\.)\s+/))
    .map((sentence) => ({ words: wordsIn(sentence), sentence: sentence.trim() }))
    .filter(({ words }) => words > maxWords);
}

/** Paragraphs, list items and cells of tables, without code, hidden comments and the addresses of links. */
function blocksOf(page: string): readonly string[] {
  return page
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/\n{2,}|\n(?=\s*(?:[-*|]|\d+\.)\s)|\|/);
}

function wordsIn(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
