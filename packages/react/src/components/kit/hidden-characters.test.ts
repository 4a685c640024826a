import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleParts, visibleText } from './hidden-characters.ts';

describe('the invisible characters of a text', () => {
  it.each([
    ['pay \u202egnp.exe', 'pay ⟨RLO⟩gnp.exe', 'Invisible: U+202E right-to-left override'],
    ['a\u200bb', 'a⟨ZWSP⟩b', 'Invisible: U+200B zero width space'],
    ['\u001b[31mred', '⟨ESC⟩[31mred', 'Invisible: U+001B escape'],
    [
      'a\u2066\u2069b',
      'a⟨2 invisible characters⟩b',
      'Invisible: U+2066 left-to-right isolate, U+2069 pop directional isolate',
    ],
    ['a\u{e0068}\u{e0069}', 'a⟨hidden text: hi⟩', 'Invisible: U+E0068 tag character, U+E0069 tag character'],
    ['a\u{e0101}', 'a⟨U+E0101⟩', 'Invisible: U+E0101 variation selector'],
    ['a\ufe0f', 'a⟨U+FE0F⟩', 'Invisible: U+FE0F variation selector'],
    ['a\u00adb', 'a⟨SHY⟩b', 'Invisible: U+00AD soft hyphen'],
    ['a\u3164b', 'a⟨HF⟩b', 'Invisible: U+3164 Hangul filler'],
    ['a\u2028b', 'a⟨LS⟩b', 'Invisible: U+2028 line separator'],
    ['a\ud800b', 'a⟨U+D800⟩b', 'Invisible: U+D800 half of a character'],
  ])('the text %j is shown as %s', (text, shown, title) => {
    expect(visibleText(text)).toBe(shown);
    expect(visibleParts(text).flatMap((part) => ('title' in part ? [part.title] : []))).toEqual([title]);
  });

  it.each([
    'Ends of lines\r\nand\ttabs',
    'naïve, 東京, שלום, مرحبا, ไทย',
    '❤️ 👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥 1️⃣ ☎︎ 🇺🇦',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    'می\u200cخواهم',
    'क\u094d\u200dष',
  ])('invisible characters that belong to the writing are kept: %s', (text) => {
    expect(visibleParts(text)).toEqual([{ text }]);
  });

  it('a text with very many invisible characters gets at most 500 marks and labels for all of them', () => {
    const parts = visibleParts('a\u200b'.repeat(2000));
    expect(parts.filter((part) => 'label' in part)).toHaveLength(500);
    expect(visibleText('a\u200b'.repeat(2000))).toBe('a⟨ZWSP⟩'.repeat(2000));
  });
});

it('no text keeps a character that is invisible or changes its direction, and all other characters stay', () => {
  const character = fc.oneof(
    fc.constantFrom(
      ...'\u202e\u2066\u200b\u200d\u200c\ufeff\u00ad\ufe0f\u061c\u{e0041}\u{e007f}\u001b\u0000\u2028a 👩🏴1م\n',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), (characters) => {
      const text = characters.join('');
      const parts = visibleParts(text);
      expect(parts.map((part) => ('hidden' in part ? part.hidden : part.text)).join('')).toBe(text);
      for (const turn of visibleText(text).matchAll(
        /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\p{Cc}]/gu,
      ))
        expect('\t\n\r').toContain(turn[0]);
    }),
    { numRuns: 2000 },
  );
});
