import { texts as english, type UsedTexts } from '../texts.ts';

type Words = UsedTexts['hiddenCharacters'];

/** A part of a text: plain text, or a label in place of invisible characters. */
export type VisiblePart =
  { readonly text: string } | { readonly label: string; readonly title: string; readonly hidden: string };

/**
 * Control characters, marks that change the text direction, and characters without width; except tabs and line ends.
 */
const hiddenRun =
  /(?:(?![\t\n\r\u0600-\u0605\u06dd\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800])+/gu;
/** Maximum number of marked elements in a text. Further labels are plain text, without an element each. */
const maxMarks = 500;

/**
 * Splits a text into visible text and labels for invisible characters. A label has a title that names the characters.
 * @param words The words of the labels. Default: English.
 */
export function visibleParts(text: string, words: Words = english.hiddenCharacters): readonly VisiblePart[] {
  const parts: VisiblePart[] = [];
  let end = 0;
  let marks = 0;
  for (const match of text.matchAll(hiddenRun)) {
    const [hidden] = match;
    if (isWriting(hidden, text, match.index)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    const label = labelOf(hidden, words);
    parts.push(++marks > maxMarks ? { text: label } : { label, title: titleOf(hidden, words), hidden });
    end = match.index + hidden.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/**
 * Replaces invisible characters by labels in a plain string, for places that cannot hold elements.
 * @param words The words of the labels. Default: English.
 */
export function visibleText(text: string, words: Words = english.hiddenCharacters): string {
  return visibleParts(text, words)
    .map((part) => ('label' in part ? part.label : part.text))
    .join('');
}

const joined = /^[\p{L}\p{M}]$/u;
const joiningScript =
  /^[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}]$/u;
const firstTag = 0xe0000;
/** The flags of England, Scotland and Wales: a black flag followed by tag characters. */
const flagNames = ['gbeng', 'gbsct', 'gbwls'].map((name) =>
  Array.from(`${name}\u007f`, (letter) => String.fromCodePoint(firstTag + letter.charCodeAt(0))).join(''),
);

/** Tells whether invisible characters belong to the writing: in emoji, or between letters that join. */
function isWriting(hidden: string, text: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
  const [after = ''] = text.slice(at + hidden.length, at + hidden.length + 2);
  if (/^\ufe0f?\u200d?$/.test(hidden) && /\p{Emoji}/u.test(before))
    return !hidden.includes('\u200d') || /\p{Extended_Pictographic}/u.test(after);
  if (hidden === '\ufe0e') return /\p{Emoji}/u.test(before);
  if (hidden === '\u200c' || hidden === '\u200d')
    return [before, after].every((one) => joined.test(one) && joiningScript.test(one));
  return before === '\u{1f3f4}' && flagNames.includes(hidden);
}

function labelOf(hidden: string, words: Words): string {
  const codes = Array.from(hidden, (character) => character.codePointAt(0) ?? 0);
  const [first = 0] = codes;
  if (codes.every((code) => code > firstTag + 0x1f && code < firstTag + 0x7f))
    return words.hiddenText(codes.map((code) => String.fromCodePoint(code - firstTag)).join(''));
  if (codes.length > 1) return words.count(codes.length);
  return `⟨${known[first]?.[0] ?? pointOf(first)}⟩`;
}

const namedAtMost = 8;

function titleOf(hidden: string, words: Words): string {
  const names = [...new Set(hidden)].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    const name = known[code]?.[1];
    return `${pointOf(code)} ${name === undefined ? kindOf(character, words) : words.name(name)}`;
  });
  return words.title(names.slice(0, namedAtMost), Math.max(0, names.length - namedAtMost));
}

function kindOf(character: string, words: Words): string {
  if (/[\u{e0000}-\u{e007f}]/u.test(character)) return words.tag;
  if (/\p{Variation_Selector}/u.test(character)) return words.variationSelector;
  if (/\p{Cs}/u.test(character)) return words.halfCharacter;
  return /\p{Cc}/u.test(character) ? words.control : words.withoutPicture;
}

function pointOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

const known: Readonly<Record<number, readonly [string, string]>> = {
  0x00: ['NUL', 'null'],
  0x07: ['BEL', 'bell'],
  0x08: ['BS', 'backspace'],
  0x1b: ['ESC', 'escape'],
  0x7f: ['DEL', 'delete'],
  0xad: ['SHY', 'soft hyphen'],
  0x034f: ['CGJ', 'combining grapheme joiner'],
  0x061c: ['ALM', 'Arabic letter mark'],
  0x115f: ['HCF', 'Hangul choseong filler'],
  0x1160: ['HJF', 'Hangul jungseong filler'],
  0x180e: ['MVS', 'Mongolian vowel separator'],
  0x200b: ['ZWSP', 'zero width space'],
  0x200c: ['ZWNJ', 'zero width non-joiner'],
  0x200d: ['ZWJ', 'zero width joiner'],
  0x200e: ['LRM', 'left-to-right mark'],
  0x200f: ['RLM', 'right-to-left mark'],
  0x2028: ['LS', 'line separator'],
  0x2029: ['PS', 'paragraph separator'],
  0x202a: ['LRE', 'left-to-right embedding'],
  0x202b: ['RLE', 'right-to-left embedding'],
  0x202c: ['PDF', 'pop directional formatting'],
  0x202d: ['LRO', 'left-to-right override'],
  0x202e: ['RLO', 'right-to-left override'],
  0x2060: ['WJ', 'word joiner'],
  0x2066: ['LRI', 'left-to-right isolate'],
  0x2067: ['RLI', 'right-to-left isolate'],
  0x2068: ['FSI', 'first strong isolate'],
  0x2069: ['PDI', 'pop directional isolate'],
  0x2800: ['blank', 'Braille pattern blank'],
  0x3164: ['HF', 'Hangul filler'],
  0xfeff: ['BOM', 'byte order mark'],
  0xffa0: ['HHF', 'halfwidth Hangul filler'],
};
