/** The characters of a sample that something matches. */
export type CharacterSet = ReadonlySet<string>;

/** All of Latin, and of other scripts, spaces and signs some each: sets that have a character in common have one of these. */
const sample: readonly string[] = [
  ...Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)),
  ...'αΩжЖאع中あ한अ١२‐–—−×÷“”•…€™\u0300\u0605\u1680\u2000\u200b\u200d\u2028\u2029\u202e\u202f\u2800\u3000\ufe0f\ufeff\ue000\ud800\udfff',
  '😀',
  '\u{e0001}',
  '\u{1f1e6}',
];

const known = new Map<string, CharacterSet>();

/** The characters that one atom of a regular expression matches: a letter, a class or an escape. */
export function charactersOf(atom: string, flags: string): CharacterSet {
  const way = flags.replaceAll(/[gym]/g, '');
  const key = `${atom}/${way}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const pattern = new RegExp(`^(?:${atom})$`, way);
  const characters = new Set(sample.filter((character) => pattern.test(character)));
  known.set(key, characters);
  return characters;
}
