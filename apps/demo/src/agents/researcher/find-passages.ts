/** A paragraph of a page as plain text. */
export type Passage = { readonly page: string; readonly text: string };

/**
 * Finds the paragraphs of a Markdown page with words of a query, best first: more words of the query, then
 * shorter text. Code and tables are skipped.
 */
export function findPassages(page: string, markdown: string, query: string): readonly Passage[] {
  const words = wordsOf(query);
  const found = paragraphsOf(markdown).map((text) => ({ text, hits: hitsIn(text, words) }));
  return found
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits || a.text.length - b.text.length)
    .map(({ text }) => ({ page, text }));
}

/** Counts the words of the query in a text, by their stems, so that `budget` finds `budgets`. */
export function hitsIn(text: string, words: readonly string[]): number {
  const there = wordsOf(text);
  return words.filter((word) => there.some((other) => other.startsWith(stem(word)))).length;
}

/** The words of a text in lower case. */
export function wordsOf(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])];
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed)$/, '') : word;
}

function paragraphsOf(markdown: string): readonly string[] {
  const blocks: string[] = [''];
  for (const line of withoutCode(markdown.split('\n'))) {
    if (line.trim() === '') blocks.push('');
    else if (line.startsWith('- ')) blocks.push(line);
    else blocks.push(`${blocks.pop() ?? ''}\n${line}`);
  }
  return blocks
    .map((block) => block.trim())
    .filter((block) => block !== '' && !/^(?:#|\||<)/.test(block))
    .map((block) => block.replace(/^- /, '').replaceAll(/\s+/g, ' '));
}

/** An unclosed fence counts as text. */
function withoutCode(lines: readonly string[]): readonly string[] {
  const lastFence = lines.lastIndexOf('```');
  let isCode = false;
  return lines.filter((line, at) => {
    const wasCode = isCode;
    if (isCode) isCode = line !== '```';
    else isCode = line.startsWith('```') && at < lastFence;
    return !wasCode && !isCode;
  });
}
