import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { patternFault } from '../../scripts/lint/ambiguous-pattern.ts';
import { boundedRecursions, provenPatterns } from '../../scripts/lint/bounded.ts';
import { type Node, recursionsIn } from '../../scripts/lint/recursion.ts';
import { root } from '../../scripts/root.ts';
import { lintFiles } from './lint-files.ts';

const programOf = (file: string, text: string): Node => parseSync(file, text).program as unknown as Node;
const recursive = (text: string): readonly string[] =>
  recursionsIn(programOf('a.tsx', text)).map(({ name }) => name);

describe('the rule on regular expressions', () => {
  it.each([
    [/^\s*```[a-z]*\s*\n([\s\S]*?)\n?\s*```\s*$/i],
    [/\n\s*```\s*$/],
    [/\/+$/],
    [/[.\s]+$/],
    [/^(a+)+$/],
    [/^(?:a|a)*b/],
    [/^(?:[ \t]*-[ \t]+)*x/],
    [/a*aa*b/],
    [/\d+[.)]/g],
    [/".*\.csv"/],
    [/^\d*\.?\d+$/],
    [/(?=.*x)y/],
    [/(a)\1/],
  ])('the pattern %s is refused', (pattern) => {
    expect(patternFault(pattern.source, pattern.flags)).not.toBeNull();
  });

  it.each([
    [/\s+/g],
    [/^\s*```/],
    [/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i],
    [/^(?:\\[\s\S]|[^"\\])*"/],
    [/\b(?:remember|note):?\s+(.+)/is],
    [/[?&]\w{1,200}=[^\s&]+/g],
    [/[\p{L}\p{N}]{3,}/gu],
    [/^ {0,3}(?:`{3,}|~{3,})math\b/m],
    [/(?:(?!\t)[\p{Cc}])+/gu],
  ])('the pattern %s is let in', (pattern) => {
    expect(patternFault(pattern.source, pattern.flags)).toBeNull();
  });
});

describe('the rule on recursion', () => {
  it.each([
    ['a function that calls itself', 'function walk(a) { return walk(a.b); }', ['walk']],
    ['two that call each other', 'const a = () => b();\nfunction b() { a(); }', ['a', 'b']],
    ['a function that is handed to map', 'function walk(a) { return a.map(walk); }', ['walk']],
    ['a component that shows itself', 'function Tree({ a }) { return <Tree a={a.b} />; }', ['Tree']],
    ['a function within a call', 'function walk(a) { return a.map((b) => walk(b)); }', ['walk']],
    ['a function within one that is made and called', 'const walk = (a) => orNull(walk)(a.b);', ['walk']],
  ])('%s is found', (_what, text, names) => {
    expect(recursive(text)).toEqual(names);
  });

  it.each([
    ['a function that hands on a depth', 'function walk(a, depth) { return walk(a.b, depth + 1); }'],
    ['a function that a timer calls again', 'function look() { setTimeout(() => look(), 5); }'],
    [
      'a component that hands on its depth',
      'function Tree({ a, depth }) { return <Tree a={a} depth={depth + 1} />; }',
    ],
    ['a function that calls another one', 'function a() { b(); }\nfunction b() {}'],
  ])('%s is let in', (_what, text) => {
    expect(recursive(text)).toEqual([]);
  });
});

describe('the linter of this repository', () => {
  it.each([
    ['packages/core/src/kit/a.ts', 'export const a = /\\s*\\n\\s*x/;\n', /vitrine\(linear-patterns\)/],
    ['apps/demo/src/chat/a.ts', 'export const a = /\\s*\\n\\s*x/;\n', /vitrine\(linear-patterns\)/],
    [
      'packages/proxy/src/a.ts',
      'export const a = (b: string) => new RegExp(b);\n',
      /vitrine\(linear-patterns\)/,
    ],
    [
      'packages/devtools/src/kit/a.ts',
      'export function walk(a: unknown[]): unknown {\n  return a.map((b) => walk(b as unknown[]));\n}\n',
      /vitrine\(bounded-recursion\): walk/,
    ],
  ])('a fault that is planted in %s is refused', { timeout: 60_000 }, (path, text, message) => {
    const { ok, output } = lintFiles({ [path]: text });
    expect(output).toMatch(message);
    expect(ok).toBe(false);
  });

  it('each exception for recursion names a function that the rule would refuse', () => {
    for (const [file, { names }] of Object.entries(boundedRecursions)) {
      const found = recursionsIn(programOf(file, readFileSync(join(root, file), 'utf8')));
      expect(
        names.filter((name) => !found.some((one) => one.name === name)),
        file,
      ).toEqual([]);
    }
  });

  it('each exception for a pattern names one that stands in its file and that the rule would refuse', () => {
    for (const [file, { names }] of Object.entries(provenPatterns)) {
      const text = readFileSync(join(root, file), 'utf8');
      for (const name of names) {
        expect(text, file).toContain(name);
        const [, source, flags] = /^\/(.+)\/([a-z]*)$/.exec(name) ?? [];
        if (source !== undefined) expect(patternFault(source, flags ?? '')).not.toBeNull();
      }
    }
  });
});
