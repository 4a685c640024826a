import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

it('the page on deployment shows the code that the processes of these tests run', () => {
  const page = readFileSync(`${root}/docs/deploy.md`, 'utf8');
  const code = readFileSync(`${root}/tests/processes/deployments.ts`, 'utf8');
  const shown = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  expect(shown.length).toBeGreaterThan(2);
  for (const block of shown) expect(code).toContain(block);
});
