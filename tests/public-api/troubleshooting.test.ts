import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

const page = readFileSync(join(root, 'docs/guide/troubleshooting.md'), 'utf8');

/** The texts of all sources, with sentences joined that are written over several lines. */
const sources = globSync('{packages,bridges}/*/src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test|fixture/.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/['"`] \+\s+['"`]/g, ''))
  .join('\n')
  .replaceAll('\\`', '`')
  .replaceAll("\\'", "'");

/** The parts of a quoted message around its variable parts, `…`, which values replace. */
function partsOf(message: string): readonly string[] {
  return message.split(/\s*\((?=…\))|…\)?/).filter((part) => /\w{3}/.test(part));
}

/** The tables of what people see, by row. */
const rows = page
  .slice(page.indexOf('## What people see'), page.indexOf('## Nothing happens after sending'))
  .split('\n')
  .filter((line) => /^\| (?!-|What they see)/.test(line));

const messages = [...page.matchAll(/^> (?:`(needs .+)`|(.+))$/gm)].map(
  ([, code, text]) => code ?? text ?? '',
);

const inRows = rows.flatMap((row) => [...row.matchAll(/“([^”]+)”/g)].map(([, text = '']) => text));

it.each([...messages, ...inRows])('the quoted message exists in the source: %s', (message) => {
  const parts = partsOf(message);
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.filter((part) => !sources.includes(part.trim()))).toEqual([]);
});

it('each row of what people see has a cause and says what to do, and most rows quote a sentence', () => {
  for (const row of rows) expect(row).toMatch(/^\| \S[^|]+ \| \S[^|]+ \| \S[^|]+ \|$/);
  expect(rows.length).toBeGreaterThan(50);
  expect(inRows.length).toBeGreaterThan(rows.length * 0.8);
});

it('a message that no source has is noticed', () => {
  expect(messages.length).toBeGreaterThan(20);
  expect(partsOf('No server says … this (…).').some((part) => !sources.includes(part.trim()))).toBe(true);
});
