import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { slowTests } from '../slow-tests.ts';

it('every test file that the everyday loop leaves out exists, and is listed once', () => {
  expect(slowTests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(new Set(slowTests).size).toBe(slowTests.length);
});
