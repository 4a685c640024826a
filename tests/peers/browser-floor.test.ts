import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fallbacks, newerNames, newerStyles, pageCode, styleFallbacks } from './browser-floor.ts';
import { writeFloorLibrary } from './floor-library.ts';
import { root } from '../../scripts/root.ts';

/** Each of these lines must be refused. */
const refused = [
  "URL.canParse('https://a.example');",
  'AbortSignal.any([]);',
  'Promise.withResolvers<void>();',
  'void Array.fromAsync([1]);',
  '[1].toSorted();',
  '[1].with(0, 2);',
  'new Set([1]).union(new Set([2]));',
  'new Map<string, number>().values().map((value) => value);',
  "'a'.isWellFormed();",
  "document.body.popover = 'manual';",
  'requestIdleCallback(() => undefined);',
  "void new Response('').bytes();",
  'Response.json({});',
  'crypto.randomUUID();',
  "void crypto.subtle.digest('SHA-256', new Uint8Array());",
  'void navigator.locks.query();',
  "void navigator.clipboard.writeText('a');",
  'void navigator.storage.persist();',
  'void caches.keys();',
];
/** None of these lines may be refused. */
const letIn = [
  'new AbortController().signal.throwIfAborted();',
  '[1].findLast((item) => item > 0);',
  'structuredClone({});',
  'crypto.getRandomValues(new Uint8Array(1));',
  "new BroadcastChannel('a').close();",
  'void AbortSignal.timeout(1);',
  'export const z = { with: (value: unknown): unknown => value };',
];

type Fault = { readonly file: string; readonly line: number; readonly message: string };

/** Compiles the code of pages against a library without all that the oldest browsers do not have. */
async function compile(folder: string): Promise<readonly Fault[]> {
  const base = JSON.parse(readFileSync(join(root, 'tsconfig.base.json'), 'utf8')) as {
    compilerOptions: { lib: readonly string[] };
  };
  const { lib, ...compilerOptions } = base.compilerOptions;
  const samples = join(folder, 'samples.ts');
  writeFileSync(samples, [...refused, ...letIn].join('\n'));
  const files = [
    samples,
    ...writeFloorLibrary(
      folder,
      lib.filter((name) => name !== 'dom.asynciterable'),
    ),
  ];
  const config = {
    compilerOptions: {
      ...compilerOptions,
      noEmit: true,
      noLib: true,
      customConditions: ['@vitrine/source'],
      types: ['vite/client'],
    },
    files,
    include: pageCode.map((path) => join(root, path)),
    exclude: ['*.test.*', '*.test-d.*', '*.fixture.*', 'fixtures*'].map((name) => join(root, '**', name)),
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = spawn(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
    { cwd: root },
  );
  return (await text(tsc.stdout)).split('\n').flatMap((line) => {
    const found = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(line);
    if (found === null) return [];
    const [, file = '', number, message = ''] = found;
    return [{ file: relative(root, join(root, file)), line: Number(number), message }];
  });
}

/** Errors of parameters and values whose type went with a missing function. */
const follows = /^TS(?:7\d{3}|18\d{3}|2345)/;

describe('the oldest browsers', () => {
  const parent = join(root, 'node_modules/.cache');
  let folder = '';
  let faults: readonly Fault[] = [];

  beforeAll(async () => {
    mkdirSync(parent, { recursive: true });
    folder = mkdtempSync(join(parent, 'floor-'));
    faults = await compile(folder);
    // The compiler reads all code of pages, which takes minutes on a busy machine.
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the rule refuses what is newer or needs a secure context, and nothing else', () => {
    const lines = faults.filter(({ file }) => file.endsWith('samples.ts')).map(({ line }) => line);
    expect([...new Set(lines)]).toEqual(refused.map((_, at) => at + 1));
    expect(newerNames()).toContainEqual({ owner: 'URL', name: 'canParse', at: 'static' });
  });

  it('code of pages uses what the oldest browsers have, or names its fallback', () => {
    const uses = faults.filter(({ file, message }) => !file.endsWith('samples.ts') && !follows.test(message));
    const isKnown = ({ file, message }: Fault): boolean =>
      fallbacks[file]?.names.some((name) => message.includes(`'${name}'`)) === true;
    expect(
      uses.filter((use) => !isKnown(use)).map(({ file, line, message }) => `${file}:${line} ${message}`),
    ).toEqual([]);
    const unused = Object.entries(fallbacks).flatMap(([file, { names }]) =>
      names.filter((name) => !uses.some((use) => use.file === file && use.message.includes(`'${name}'`))),
    );
    expect(unused).toEqual([]);
  });
});

describe('styles in the oldest browsers', () => {
  it('the rule for styles finds rules, selectors, properties and functions that the floor lacks', () => {
    const newer =
      'a { &:hover { color: oklch(1 0 0) } field-sizing: content } @starting-style { a:has(b) {} }';
    expect(newerStyles(newer)).toEqual(['&', ':has', '@starting-style', 'field-sizing', 'oklch']);
    expect(
      newerStyles('/* & */ @container (width > 1px) { a:is(b)::before { inset: min(1px, 2px) } }'),
    ).toEqual([]);
  });

  it('the theme uses what the oldest browsers have, or names what its page loses', () => {
    const theme = readFileSync(join(root, 'packages/react/src/components/theme.css'), 'utf8');
    expect(newerStyles(theme)).toEqual(Object.keys(styleFallbacks).sort());
  });
});
