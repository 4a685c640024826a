import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

// Programs for `useChat` of the AI SDK, and what jscodeshift makes of them with the codemod.
const fixtures = join(root, 'tests/fixtures/codemod');
const names = readdirSync(fixtures)
  .filter((file) => file.endsWith('.before.txt'))
  .map((file) => file.replace('.before.txt', ''));

const folder = mkdtempSync(join(tmpdir(), 'vitrine-codemod-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function shift(...files: readonly string[]): Promise<string> {
  const transform = join(root, 'packages/react/codemods/use-chat.cjs');
  const options = ['--parser=tsx', '--extensions=tsx', '--run-in-band', '-t', transform];
  const { ok, output } = await run(
    join(root, 'tests/peers/node_modules/.bin/jscodeshift'),
    [...options, ...files],
    { cwd: root, quiet: true },
  );
  expect(ok, output).toBe(true);
  return output;
}

beforeAll(async () => {
  for (const name of names) copyFileSync(join(fixtures, `${name}.before.txt`), join(folder, `${name}.tsx`));
  await shift(folder);
}, 60_000);

describe('the codemod of useChat', () => {
  it.each(names)(
    'the program %s is rewritten; after a change: npx vitest run --project peers codemod -u',
    async (name) => {
      const text = readFileSync(join(folder, `${name}.tsx`), 'utf8');
      expect(text).not.toContain('useChat');
      await expect(text).toMatchFileSnapshot(join(fixtures, `${name}.after.txt`));
    },
  );

  it('every sentence that is left to a person names what to do, and no code of it is lost', () => {
    const after = (name: string): string => readFileSync(join(folder, `${name}.tsx`), 'utf8');
    expect(after('client-tool')).toMatch(/TODO\(vitrine\): `onToolCall`: make it `execute` of a tool/);
    expect(after('client-tool')).toContain('Intl.DateTimeFormat().resolvedOptions().timeZone');
    expect(after('chat')).not.toMatch(/TODO\(vitrine\)(?!: (Move the system prompt|The proxy of))/);
  });

  it('a file without useChat, and one that was rewritten, stay as they are', async () => {
    const other = join(folder, 'other.tsx');
    writeFileSync(other, "import { useObject } from '@ai-sdk/react';\nexport const a = useObject;\n");
    const before = readFileSync(join(folder, 'approval.tsx'), 'utf8');
    await shift(other, join(folder, 'approval.tsx'));
    expect(readFileSync(other, 'utf8')).toContain('useObject');
    expect(readFileSync(join(folder, 'approval.tsx'), 'utf8')).toBe(before);
  });

  it('programs that need nobody pass the type check', { timeout: 120_000 }, async () => {
    // Inside of the repository, so that the programs find the packages.
    const typed = join(root, 'tests/public-api/.codemod');
    mkdirSync(typed, { recursive: true });
    try {
      for (const name of ['chat', 'stop'])
        copyFileSync(join(folder, `${name}.tsx`), join(typed, `${name}.tsx`));
      const project = {
        extends: '../../../tsconfig.json',
        include: ['*.tsx'],
        compilerOptions: { noEmit: true },
      };
      writeFileSync(join(typed, 'tsconfig.json'), JSON.stringify(project));
      const { ok, output } = await run('tsc', ['-p', typed], { cwd: root, quiet: true });
      expect(ok, output).toBe(true);
    } finally {
      rmSync(typed, { recursive: true });
    }
  });
});
