import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineAgent, explainError, useAgent } from '@vitrine/react';
import { format, resolveConfig } from 'prettier';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { referenceTables, withTables } from '../../scripts/docs/reference.ts';
import { root } from '../../scripts/root.ts';

const folder = join(root, 'docs/guide');
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }))
  .filter(({ text }) => text.includes('<!-- made: '));

/** The rows of a table without a text in its column "Meaning". */
function bareRows(table: string): readonly string[] {
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  const cells = lines.map((line) => line.split(/ (?<!\\)\| ?|^\| /).slice(1));
  let meaning = -1;
  return cells.flatMap((row, place) => {
    if (row.includes('Meaning')) {
      meaning = row.indexOf('Meaning');
      return [];
    }
    return row[meaning]?.trim() === '' ? [lines[place] ?? ''] : [];
  });
}

describe('the reference pages', () => {
  it.each(pages)(
    'the tables of $name match the types; after a change: npx vitest run --project node reference -u',
    async ({ path, text }) => {
      const written = await format(withTables(text), { ...(await resolveConfig(path)), filepath: path });
      await expect(written).toMatchFileSnapshot(path);
    },
  );

  it('every table is on one page', () => {
    const marks = pages.flatMap(({ text }) => [...text.matchAll(/<!-- made: ([\w-]+) -->/g)]);
    expect(marks.map(([, name]) => name).toSorted()).toEqual(Object.keys(referenceTables).toSorted());
  });

  it('every member of useAgent has a row', () => {
    const rows = `${referenceTables['use-agent-data']?.()}\n${referenceTables['use-agent-commands']?.()}`;
    const named = [...rows.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
    const agent = defineAgent({ name: 'a' });
    let members: readonly string[] = [];
    const Page = (): null => {
      members = Object.keys(useAgent(agent));
      return null;
    };
    renderToString(createElement(Page));
    expect(named.toSorted()).toEqual(members.toSorted());
  });

  it('every error code has a heading', () => {
    const listed = `${referenceTables['library-errors']?.()}\n${referenceTables['proxy-errors']?.()}`;
    const codes = [...listed.matchAll(/^### `(.+)`$/gm)].map(([, code = '']) => code);
    expect(codes.filter((code) => explainError({ code }).code !== code)).toEqual([]);
    const used = globSync('{packages,bridges}/*/src/**/*.{ts,tsx}', { cwd: root })
      .filter((file) => !/\.test|fixture/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /(?:new AgentError\(\s*|status: \d+,\s+code: )'([\w-]+)'/g,
        ),
      ])
      .map(([, code = '']) => code);
    expect(used.length).toBeGreaterThan(100);
    expect([...new Set(used)].filter((code) => !codes.includes(code))).toEqual([]);
  });

  it('every row says what it means', () => {
    const bare = Object.entries(referenceTables).flatMap(([name, made]) =>
      bareRows(made()).map((row) => `${name} ${row}`),
    );
    expect(bare, 'Write a doc comment').toEqual([]);
    expect(bareRows('| A | Meaning |\n| --- | --- |\n| `a \\| b` | Yes. |\n| `c` |  |')).toHaveLength(1);
  });

  it('the page of comparisons has no figure without the command that measures it', () => {
    const { text = '' } = pages.find(({ name }) => name === 'compared.md') ?? {};
    const [before = '', after = ''] = text.split(/<!-- made: peers -->[^]*?<!-- \/made -->/);
    const bare = `${before}${after}`
      .split('\n')
      .filter((line) => /\d/.test(line) && !/`npm (run|test) /.test(line));
    expect(bare.filter((line) => !line.startsWith('| Figure'))).toEqual([]);
    expect(after).toMatch(/`npm run bench/);
  });
});
