import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import { goldenPlans, hashesOf } from './golden-run.fixture.ts';

// Hashes of everything that random agents do and that the outside sees of them. A changed hash is a changed behaviour:
// name it in the commit, and write the hashes again with GOLDEN=write.

const tested = Number(process.env['PROVE_RUNS'] ?? 200);
const isWriting = process.env['GOLDEN'] === 'write';
const file = new URL('golden-journals.json', import.meta.url);
const known = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>)
  : {};

const written: Record<string, string> = {};
afterAll(() => {
  if (isWriting) writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
});

it('random agents, whole and cut at a random event, have the records that they had before', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const changed: string[] = [];
  for (const [at, plan] of goldenPlans.slice(0, isWriting ? undefined : tested).entries()) {
    const hashes = (written[at + 1] = await hashesOf(plan, at + 1));
    if (!isWriting && hashes !== known[at + 1]) changed.push(`${at + 1}: ${known[at + 1]} -> ${hashes}`);
  }
  expect(changed).toEqual([]);
}, 120_000);
