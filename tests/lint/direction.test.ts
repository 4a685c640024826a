import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';

/** Lints files in a folder of their own with the configuration of this repository. */
function lintFiles(files: Readonly<Record<string, string>>): { ok: boolean; output: string } {
  const directory = folderOfTest('lint');
  const all = { ...files, 'oxlint.config.ts': `export { default } from '${root}/oxlint.config.ts';\n` };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/oxlint'),
    ['--deny-warnings', '--ignore-pattern', 'oxlint.config.ts'],
    // Where CI is set it paints its lines, and no place stands in one piece.
    { cwd: directory, encoding: 'utf8', env: { ...withoutColor(), NO_COLOR: '1' } },
  );
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

function withoutColor(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _forced, CI: _painted, ...env } = process.env;
  return env;
}

const core = 'packages/core/src';

describe('the linter', () => {
  it.each([
    [
      'core imports react',
      `${core}/graph/a.ts`,
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
      'devtools imports react, by types only',
      'packages/devtools/src/a.ts',
      "export type { AgentFields } from '@vitrine/react';\n",
      /packages\/devtools may import/,
    ],
    [
      'react ships the test kit',
      'packages/react/src/a.ts',
      "export { fakeTool } from '@vitrine/core/testing';\n",
      /packages\/react may import/,
    ],
    [
      'a package reaches past an entry point',
      'apps/demo/src/a.ts',
      "export { of } from '@vitrine/core/src/graph/message/message.ts';\n",
      /public entry points/,
    ],
    [
      'a relative path leads into another package',
      'packages/react/src/a.ts',
      "export { of } from '../../core/src/graph/usage.ts';\n",
      /public entry points/,
    ],
    [
      'a lower floor of core imports a higher one',
      `${core}/graph/a.ts`,
      "export { drive } from '../run/drive.ts';\n",
      /graph must not import core\/run/,
    ],
    [
      'a lower floor imports the type of a higher one',
      `${core}/graph/a.ts`,
      "export type { S } from '../session/s.ts';\n",
      /graph must not import core\/session/,
    ],
    [
      'a lower floor names the type of a higher one in passing',
      `${core}/graph/a.ts`,
      "export type S = import('../session/s.ts').S;\n",
      /graph must not import core\/session/,
    ],
    [
      'a lower floor loads a higher one later',
      `${core}/graph/deep/a.ts`,
      "export const later = () => import('../../run/drive.ts');\n",
      /graph must not import core\/run/,
    ],
    [
      'a noun imports its document',
      `${core}/graph/a.ts`,
      "export { d } from './document/d.ts';\n",
      /graph must not import core\/graph\/document/,
    ],
    [
      'the calls of a step import the step',
      `${core}/run/tools/a.ts`,
      "export { s } from '../step/s.ts';\n",
      /run\/tools must not import core\/run\/step/,
    ],
    [
      'a store imports the steps of the loop',
      `${core}/session/stores/a.ts`,
      "export { s } from '../../run/step/s.ts';\n",
      /session\/stores must not import core\/run/,
    ],
    [
      'the loop imports the test kit',
      `${core}/run/a.ts`,
      "export { s } from '../testing/s.ts';\n",
      /run must not import core\/testing/,
    ],
    [
      'a file imports the index',
      `${core}/session/a.ts`,
      "export { s } from '../index.ts';\n",
      /entry for other packages/,
    ],
    [
      'a tab of the panel imports its shell',
      'packages/devtools/src/tabs/steps/a.ts',
      "export { s } from '../../shell/s.ts';\n",
      /tabs must not import devtools\/shell/,
    ],
    [
      'zod is used where no unknown data enters',
      `${core}/graph/a.ts`,
      "import * as z from 'zod';\nexport const s = z;\n",
      /zod is for/,
    ],
    [
      'zod comes by its named import',
      `${core}/agent/a.ts`,
      "import { z } from 'zod';\nexport const s = z;\n",
      /import \* as z/,
    ],
    ['there is a default export', `${core}/graph/a.ts`, 'export default 1;\n', /no-default-export/],
    [
      'a component reads a ref while it renders',
      'packages/react/src/a.tsx',
      "import { useRef } from 'react';\nexport function A() {\n  const a = useRef(1);\n  return <p>{a.current}</p>;\n}\n",
      /react-compiler\(refs\)/,
    ],
  ])('refuses it when %s', { timeout: 20_000 }, (_what, path, text, message) => {
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
  ])('refuses a cycle %s', { timeout: 20_000 }, (_how, a, b) => {
    const { ok, output } = lintFiles({ [`${core}/graph/a.ts`]: a, [`${core}/graph/b.ts`]: b });
    expect(output).toMatch(/no-cycle/);
    expect(ok).toBe(false);
  });

  it('refuses that anything but the one door gives a run its state', { timeout: 20_000 }, () => {
    const assigns = 'export const next = (run: { state: number }) => {\n  run.state = 1;\n};\n';
    const { ok, output } = lintFiles({
      [`${core}/run/commit.ts`]: assigns,
      [`${core}/run/decide.ts`]: assigns,
    });
    expect(output).toMatch(/Only run\/commit\.ts/);
    expect(output).toContain('run/decide.ts:2');
    expect(output).not.toContain('run/commit.ts:2');
    expect(ok).toBe(false);
  });

  it(
    'accepts imports that go down, shapes with zod, and tests that look everywhere',
    { timeout: 20_000 },
    () => {
      const { ok, output } = lintFiles({
        [`${core}/index.ts`]: "export { a } from './run/a.ts';\n",
        [`${core}/run/a.ts`]: "export { b as a } from '../graph/b.ts';\nexport { s } from './step/s.ts';\n",
        [`${core}/run/step/s.ts`]:
          "export { t as s } from '../tools/t.ts';\nexport { c } from '../commit.ts';\n",
        [`${core}/run/tools/t.ts`]: "export { c as t } from '../commit.ts';\n",
        [`${core}/run/commit.ts`]: 'export const c = 1;\n',
        [`${core}/graph/b.ts`]: 'export const b = 1;\n',
        [`${core}/graph/b-shape.ts`]: "import * as z from 'zod/mini';\nexport const shape = z;\n",
        [`${core}/graph/b.test.ts`]: "export { a } from '../run/a.ts';\n",
        'packages/devtools/src/c.ts': "export { recorder } from '@vitrine/core/inspect';\n",
        'packages/react/src/c.test.tsx': "export { fakeTool } from '@vitrine/core/testing';\n",
      });
      expect(output).toContain('Found 0 warnings and 0 errors');
      expect(ok).toBe(true);
    },
  );

  it('does not take a run over nothing for a success', () => {
    expect(lintFiles({ 'README.md': '' }).ok).toBe(false);
  });
});
