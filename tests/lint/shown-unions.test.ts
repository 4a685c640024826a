import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTest } from '../../scripts/lint/place.ts';
import { openTables } from '../../scripts/lint/shown-unions.ts';
import { root } from '../../scripts/root.ts';

/** Open tables that show no union, each with its reason. */
const known: Readonly<Record<string, string>> = {
  'bridges/ai-sdk/src/observe/observe-chat.ts': 'The parts come from another library, which has more states.',
  'packages/devtools/src/shell/use-settings.ts': 'The settings come from a storage and may lack any field.',
  'packages/react/src/components/markdown/keep-text.ts': 'Other nodes of Markdown are shown as they are.',
};

describe('the rule that every shown union has a complete table', () => {
  it('components and views of the panel have no open table', () => {
    const patterns = [
      'packages/{devtools/src,inspect/src/foreign}/**/*.{ts,tsx}',
      'packages/react/src/components/**/*.{ts,tsx}',
      'bridges/*/src/{observe,react}/**/*.{ts,tsx}',
    ];
    const paths = globSync(patterns, { cwd: root }).filter((path) => !isTest(path));
    expect(paths.length).toBeGreaterThan(100);
    const found = paths.flatMap((path) => openTables(path, readFileSync(join(root, path), 'utf8')));
    expect(found.filter(({ path }) => !(path in known))).toEqual([]);
    expect(Object.keys(known).filter((path) => !found.some((one) => one.path === path))).toEqual([]);
  });

  it.each([
    ["switch (event.type) {\n  case 'a':\n    break;\n  default:\n}", ['default']],
    ['const words: Readonly<Partial<Record<Status, string>>> = {};', ['partial']],
    ["switch (event.type) {\n  case 'a':\n}", []],
    ["switch (key) {\n  case 'a':\n    break;\n  default:\n}", []],
    ['const words: Record<Status, string> = all;', []],
    ['const change: Partial<Settings> = {};', []],
  ])('the code %j has the open tables %j', (text, kinds) => {
    expect(openTables('a.ts', text).map(({ kind }) => kind)).toEqual(kinds);
  });
});
