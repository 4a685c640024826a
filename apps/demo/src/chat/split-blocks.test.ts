import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitBlocks } from './split-blocks.ts';

describe('splitBlocks', () => {
  it('separates paragraphs, headings and code', () => {
    expect(splitBlocks('One\n\n## Two\n\n```\na\n\nb\n```\n\nThree')).toEqual([
      'One\n\n',
      '## Two\n\n',
      '```\na\n\nb\n```\n\n',
      'Three',
    ]);
  });

  it('keeps the items of a loose list together', () => {
    expect(splitBlocks('- a\n\n- b\n\n  more\n\nEnd')).toEqual(['- a\n\n- b\n\n  more\n\n', 'End']);
  });

  it('loses nothing, whatever the text', () => {
    const text = fc.array(fc.constantFrom('\n', '\n\n', '```\n', '# ', '- ', 'word ', '> ', '  ', '~~~\n'), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (parts) => {
        expect(splitBlocks(parts.join('')).join('')).toBe(parts.join(''));
      }),
    );
  });

  it('leaves finished blocks as they are when text is appended', () => {
    const whole = 'First\n\nSecond **bold**\n\n```js\ncode\n\ncode\n```\n\nLast one here';
    for (let length = 1; length <= whole.length; length++) {
      const before = splitBlocks(whole.slice(0, length - 1)).slice(0, -1);
      expect(splitBlocks(whole.slice(0, length)).slice(0, before.length)).toEqual(before);
    }
  });
});
