import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelJson, readJson } from './json.ts';
import { stripFence } from './text.ts';
import { workUnits } from './work.ts';

describe('the reader of complete JSON', () => {
  it('a text of JSON is read as the platform reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(readJson(text)).toStrictEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('a text of anything never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\1e-. tn') }), (text) => {
        readJson(text, { depth: 3, length: 20 });
      }),
    );
  });

  it('depth is counted outside of strings, up to the limit itself', () => {
    const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(readJson(nest(100), modelJson).ok).toBe(true);
    expect(readJson(nest(101), modelJson)).toEqual({
      ok: false,
      what: 'it is nested deeper than 100 levels',
    });
    expect(readJson(`["${'['.repeat(500)}\\"${'{'.repeat(500)}"]`, modelJson).ok).toBe(true);
    expect(readJson(`[${'[],'.repeat(500)}1]`, modelJson).ok).toBe(true);
  });

  it.each(['[', '{"a":', '[{"a":'])('a million of %s are rejected without a stack overflow', (text) => {
    expect(readJson(text.repeat(1_000_000), modelJson).ok).toBe(false);
  });
});

describe('the Markdown fence of an answer', () => {
  it.each([
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['\n ```JSON  \n\n[1]\n\n```  \n', [1]],
    ['```\n"a ``` b"\n```', 'a ``` b'],
    ['```\n```', undefined],
    ['```', undefined],
    ['[1]', [1]],
  ])('the text %j gives the JSON within its fence', (text, value) => {
    const json = readJson(stripFence(text));
    expect(json.ok ? json.value : undefined).toEqual(value);
  });

  it.each([
    ['newlines', (size: number) => `\`\`\`${'\n'.repeat(size)}`],
    ['newlines and a word', (size: number) => `\`\`\`${'\n'.repeat(size)}x`],
    ['spaces', (size: number) => `${' '.repeat(size)}\`\`\`${' '.repeat(size)}`],
    ['fences', (size: number) => '```\n'.repeat(size / 4)],
  ])('a fence with many %s costs twice the units when it is twice as long', (_what, make) => {
    const unitsOf = (size: number): number => {
      const before = workUnits();
      stripFence(make(size));
      return workUnits() - before;
    };
    expect(unitsOf(2_000_000)).toBeLessThan(2.2 * unitsOf(1_000_000));
  });
});
