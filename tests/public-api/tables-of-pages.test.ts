import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutableFields } from '@vitrine/core/internal/agent/hook';
import { root } from '../../scripts/root.ts';

it('the table of hooks has every point with exactly the fields that it may replace', () => {
  const page = readFileSync(join(root, 'docs/guide/extending.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `((?:before|after|on)-[a-z-]+)` +\|[^|]*\|([^|]*)\|$/gm)];
  const told = rows.map(([, point, fields = '']) => [
    point,
    [...fields.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
  ]);
  expect(Object.fromEntries(told)).toEqual(mutableFields);
});
