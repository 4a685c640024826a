import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lint } from '../../scripts/lint.ts';

function lintFiles(files: Readonly<Record<string, string>>): { ok: boolean; output: string } {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-lint-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return lint(directory, ['.']);
}

describe('the linter', () => {
  it.each([
    [
      'core imports react',
      'packages/core/src/state/a.ts',
      "export { useAgent } from '@vitrine/react';\n",
      /no other package/,
    ],
    [
      'proxy imports devtools',
      'packages/proxy/src/a.ts',
      "export { AgentDevtools } from '@vitrine/devtools';\n",
      /packages\/proxy may import/,
    ],
    [
      'react imports devtools',
      'packages/react/src/a.ts',
      "export { AgentDevtools } from '@vitrine/devtools';\n",
      /packages\/react may import/,
    ],
    [
      'a package reaches past an entry point',
      'apps/demo/src/a.ts',
      "export { of } from '@vitrine/core/src/messages/message.ts';\n",
      /public entry points/,
    ],
    [
      'a lower layer of core imports a higher one',
      'packages/core/src/messages/a.ts',
      "export { drive } from '../loop/drive.ts';\n",
      /lower layer/,
    ],
    [
      'state imports the session',
      'packages/core/src/state/a.ts',
      "export type { S } from '../session/s.ts';\n",
      /lower layer/,
    ],
    [
      'zod outside of the places where unknown data enters',
      'packages/core/src/state/a.ts',
      "import * as z from 'zod';\nexport const s = z;\n",
      /zod is for/,
    ],
    [
      'zod by its named import',
      'packages/core/src/tools/a.ts',
      "import { z } from 'zod';\nexport const s = z;\n",
      /import \* as z/,
    ],
    ['a default export', 'packages/core/src/state/a.ts', 'export default 1;\n', /no-default-export/],
  ])('refuses it when %s', (_what, path, text, message) => {
    const { ok, output } = lintFiles({ [path]: text });
    expect(output).toMatch(message);
    expect(ok).toBe(false);
  });

  it.each([
    [
      'by value',
      "import { b } from './b.ts';\nexport const a = () => b;\n",
      "import { a } from './a.ts';\nexport const b = () => a;\n",
    ],
    [
      'by types only',
      "import type { B } from './b.ts';\nexport type A = B[];\n",
      "import type { A } from './a.ts';\nexport type B = A | 1;\n",
    ],
  ])('refuses a cycle %s', (_how, a, b) => {
    const { ok, output } = lintFiles({
      'packages/core/src/state/a.ts': a,
      'packages/core/src/state/b.ts': b,
    });
    expect(output).toMatch(/no-cycle/);
    expect(ok).toBe(false);
  });

  it('accepts imports that go down', () => {
    const { ok, output } = lintFiles({
      'packages/core/src/loop/a.ts': "export { b } from '../state/b.ts';\n",
      'packages/core/src/state/b.ts': 'export const b = 1;\n',
      'packages/devtools/src/c.ts': "export { AgentState } from '@vitrine/core';\n",
    });
    expect(output).toContain('Found 0 warnings and 0 errors');
    expect(ok).toBe(true);
  });

  it('does not take a run over nothing for a success', () => {
    expect(lintFiles({ 'README.md': '' }).ok).toBe(false);
  });
});
