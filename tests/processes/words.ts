/** The number of words in an answer. */
export const wordCount = 120;

/** The answer of a process: its name in every word, and which word it is. */
export function wordsOf(name: string): string[] {
  return Array.from({ length: wordCount }, (_, index) => `${name}:${index} `);
}
