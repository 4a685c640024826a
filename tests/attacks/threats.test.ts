import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { threats } from './threats.ts';

it('every threat is in the list once, in its order', () => {
  expect(threats.map(({ id }) => id)).toEqual(Array.from({ length: 42 }, (_, at) => `T${at + 1}`));
});

it.each(threats.flatMap((threat) => ('tests' in threat ? [threat] : [])))(
  'whoever $attack meets a test that is there ($id)',
  ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
  },
);
