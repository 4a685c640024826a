import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeltaPattern, eventWith, patternOf, textIn } from './delta-pattern.ts';

const event = (text: string, rest = ''): string =>
  `data: {"model":"m","content":${JSON.stringify(text)}${rest}}\n\n`;

const found = (text: string, rest?: string): DeltaPattern => {
  const pattern = patternOf(event(text, rest), text);
  if (pattern === null) throw new Error('No pattern was found.');
  return pattern;
};

it('a pattern reads the text of every similar event, and writes it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(textIn(found('first'), event(text))).toBe(text);
      expect(eventWith(found('first'), text)).toBe(event(text));
    }),
  );
});

it.each([
  ['another end', event('b', ',"stop":true')],
  ['another beginning', event('b').replace('"m"', '"n"')],
  ['one more field that is alike', event('b","content":"c').replaceAll('\\"', '"')],
  ['a number', 'data: {"model":"m","content":1}\n\n'],
  ['an object', 'data: {"model":"m","content":{"a":"b"}}\n\n'],
  ['nothing', 'data: {"model":"m","content":}\n\n'],
  ['less than the pattern', 'data: {"model":"m","content":"}\n\n'],
])('a pattern does not read an event with %s', (_what, other) => {
  expect(textIn(found('first'), other)).toBeNull();
});

it('a pattern reads characters in every escape form', () => {
  expect(textIn(found('first'), 'data: {"model":"m","content":"\\u00e9\\/"}\n\n')).toBe('é/');
});

describe('padding', () => {
  it('padding adds no text to the answer', () => {
    const pattern = found('first', ',"obfuscation":"abc"');
    expect(textIn(pattern, event('b', ',"obfuscation":"Xy9"'))).toBe('b');
    expect(textIn(pattern, event('b'))).toBe('b');
  });

  it('padding within the text of an answer is text', () => {
    const text = ',"obfuscation":"abc"';
    expect(textIn(found('first'), event(text))).toBe(text);
  });
});

it.each([
  ['stands twice', event('m'), 'm'],
  ['is written otherwise', 'data: {"content":"\\u00e9"}\n\n', 'é'],
  ['is the name of a field', 'data: {"content":"\\u0063ontent"}\n\n', 'content'],
  ['is one of several', 'data: {"content":["a","b"]}\n\n', 'b'],
  ['is not there', event('a'), 'b'],
])('no pattern is found where the text %s', (_what, sent, text) => {
  expect(patternOf(sent, text)).toBeNull();
});
