import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFolders } from '../../scripts/packages.ts';
import { folderOfTest } from '../folder-of-test.ts';
import { flatten, type PublicName, publicNames } from './public-names.ts';
import { entriesOf } from './source-module.ts';

const entries = packageFolders
  .map((folder) => folder.split('/')[1] ?? '')
  .flatMap((name) =>
    Object.entries(entriesOf(name)).map(([path, file]) => ({
      entry: `@vitrine/${name}${path.slice(1)}`,
      file,
      names: flatten(publicNames(file)),
    })),
  );

describe('the public names', () => {
  it('the public names match the list; after a change: npx vitest run --project node public-names -u', async () => {
    const sections = entries.map(({ entry, file, names }) => {
      const same = entries.find((other) => other.file === file)?.entry;
      if (same !== entry) return `## ${entry}: those of ${same}\n`;
      const top = names.filter(([name]) => !name.includes('.')).length;
      const lines = names.map(([name, found]) => `- \`${name}\`${kind(name, found)}`);
      return `## ${entry}: ${top} names, with members ${names.length}\n\n${lines.join('\n')}\n`;
    });
    const text = `# Public names\n\nWhat applications may import, written by \`public-names.test.ts\`. \`@vitrine/react\` also hands on all of \`@vitrine/core\`. The entries \`internal\` are for packages of this repository alone.\n\n${sections.join('\n')}`;
    await expect(text).toMatchFileSnapshot('./public-names.md');
  });

  it('each have a doc comment', () => {
    const bare = entries.flatMap(({ entry, names }) =>
      names.flatMap(([name, { isDocumented }]) => (isDocumented ? [] : [`${entry} ${name}`])),
    );
    expect(bare, 'Write what these are, in a doc comment').toEqual([]);
  });
});

describe('the reader of public names', () => {
  const read = (files: Readonly<Record<string, string>>): [string, PublicName][] => {
    const directory = folderOfTest('names');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    return flatten(publicNames(join(directory, 'index.ts')));
  };
  const list = (found: readonly [string, PublicName][]): string[] =>
    found.map(([name, { isDocumented }]) => `${name}${isDocumented ? '' : ' (bare)'}`);

  it('the reader of public names follows names through files, namespaces and objects', () => {
    const found = read({
      'index.ts': `
        import type { Usage as UsageType } from './usage.ts';
        import * as usage from './usage.ts';
        export type Usage = UsageType;
        /** All about usage. */
        export const Usage = { ...usage, zero, /** Reads it back. */ fromJSON: () => 0 };
        export * as Tools from './tools.ts';
        export { type Tool, add as plus } from './tools.ts';
        export * from './tools.ts';
        const zero = 0;`,
      'usage.ts':
        '/** What was used. */\nexport type Usage = number;\n/** Adds two. */\nexport function add() {}\n',
      'tools.ts': 'export interface Tool { a: 1 }\n/** Adds a tool. */\n// a remark\nexport const add = 1;\n',
    });
    expect(list(found)).toEqual([
      'Tool (bare)',
      'Tools (bare)',
      'Tools.Tool (bare)',
      'Tools.add',
      'Usage',
      'Usage.Usage',
      'Usage.add',
      'Usage.fromJSON',
      'Usage.zero (bare)',
      'add',
      'plus',
    ]);
  });

  it('the reader of public names counts neither a plain comment nor a single word as documentation', () => {
    const found = read({
      'index.ts': '// Says much.\nexport const a = 1;\n/** Word. */\nexport const b = 1;\n',
    });
    expect(list(found)).toEqual(['a (bare)', 'b (bare)']);
  });
});

function kind(name: string, { isType, isValue, members }: PublicName): string {
  if (isType && isValue) return members.size > 0 ? ' type and namespace' : ' type and value';
  if (members.size > 0) return ' namespace';
  return isType ? ' type' : name.includes('.') ? '' : ' value';
}
