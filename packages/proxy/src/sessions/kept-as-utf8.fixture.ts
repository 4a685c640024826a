/**
 * Texts that are no Unicode, which damage may be: databases keep UTF-8, and PostgreSQL no NUL. Others stand for them
 * there, and are given back as what they stand for.
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
