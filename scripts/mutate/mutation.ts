/** One deliberate fault: tests that pass with it would not notice a real one. */
export type Mutation = {
  /** The path from the repository's folder. */
  readonly file: string;
  /** A text that occurs in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** The effect of the fault in a few words. */
  readonly reason: string;
};

/** Text, replacement and reason, by file. */
export type MutationTable = Readonly<Record<string, readonly (readonly [string, string, string])[]>>;

/** The mutations of a table whose files stand in one folder. */
export function mutationsIn(folder: string, table: MutationTable): readonly Mutation[] {
  return Object.entries(table).flatMap(([name, list]) =>
    list.map(([text, replacement, reason]) => ({ file: `${folder}/${name}`, text, replacement, reason })),
  );
}

/**
 * The file with the fault in it. @throws Error when the text is missing or occurs more than once: the list follows the
 * code.
 */
export function mutated(source: string, { file, text, replacement, reason }: Mutation): string {
  const found = source.split(text).length - 1;
  if (found !== 1 || text === replacement) {
    throw new Error(`${file}: the text of "${reason}" stands there ${found} times, not once:\n    ${text}`);
  }
  return source.replace(text, () => replacement);
}
