import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fencedCode, splitBlocks } from './split-blocks.ts';

describe('the splitting of Markdown into blocks', () => {
  it('paragraphs, headings and code are separate blocks', () => {
    expect(splitBlocks('One\n\n## Two\n\n```\na\n\nb\n```\n\nThree')).toEqual([
      'One\n\n',
      '## Two\n\n',
      '```\na\n\nb\n```\n\n',
      'Three',
    ]);
  });

  it('code is separate from adjacent text', () => {
    expect(splitBlocks('One\n```js\na\n\n- b\n```\nTwo\n~~~\n```\n')).toEqual([
      'One\n',
      '```js\na\n\n- b\n```\n',
      'Two\n',
      '~~~\n```\n',
    ]);
    expect(splitBlocks('``` a`b\n\nOne')).toEqual(['``` a`b\n\n', 'One']);
  });

  it('a text has at most a thousand blocks and one for the rest', () => {
    expect(splitBlocks('a\n\n'.repeat(5000))).toHaveLength(1001);
  });

  it('the items of a loose list stay in one block', () => {
    expect(splitBlocks('- a\n\n- b\n\n  more\n\nEnd')).toEqual(['- a\n\n- b\n\n  more\n\n', 'End']);
  });

  it('the blocks of any text join to the same text', () => {
    const text = fc.array(fc.constantFrom('\n', '\n\n', '```\n', '# ', '- ', 'word ', '> ', '  ', '~~~\n'), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (parts) => {
        expect(splitBlocks(parts.join('')).join('')).toBe(parts.join(''));
      }),
    );
  });

  it.each([
    ['- ```js\n  a\n\n  b\n  ```\n\n', '```\nc\n\nd\n```\n'],
    ['1. One\n   - ```\n     a\n     ```\n\n', 'Two\n\n', 'Three'],
    ['- ```\n  a\n\n', 'Two\n\n', 'Three'],
  ])('code in a list ends with its list item: %j', (...blocks) => {
    expect(splitBlocks(blocks.join(''))).toEqual(blocks);
  });

  it('finished blocks stay the same when text is appended', () => {
    const whole = 'First\n\nSecond **bold**\n\n```js\ncode\n\ncode\n```\n\nLast one here';
    for (let length = 1; length <= whole.length; length++) {
      const before = splitBlocks(whole.slice(0, length - 1)).slice(0, -1);
      expect(splitBlocks(whole.slice(0, length)).slice(0, before.length)).toEqual(before);
    }
  });
});

it.each([
  ['```js x\na\n\n  b\n```\n\n', { info: 'js x', code: 'a\n\n  b', isFinished: true }],
  ['~~~~\n~~~\n', { info: '', code: '~~~\n', isFinished: false }],
  ['```\na', { info: '', code: 'a', isFinished: false }],
  ['```\na\n```\nb', null],
  [' ```\n a\n ```', null],
  ['``` a`b\nc', null],
  ['a', null],
])('%j as one code fence is %j', (block, code) => expect(fencedCode(block)).toEqual(code));
