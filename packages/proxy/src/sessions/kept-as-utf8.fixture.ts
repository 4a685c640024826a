/**
 * Replaces texts that are no valid Unicode, which damage can produce, because databases keep UTF-8 and PostgreSQL no
 * NUL. Reading restores them.
 */
export function keptAsUtf8(): {
  readonly kept: (text: string) => string;
  readonly given: (kept: string) => string;
} {
  const originals = new Map<string, string>();
  return {
    kept(text) {
      const stand = text.replaceAll(/\p{Surrogate}/gu, '\uFFFD').replaceAll('\0', '\uE000');
      originals.set(stand, text);
      return stand;
    },
    given: (stand) => originals.get(stand) ?? stand,
  };
}
