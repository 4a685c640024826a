import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyCallers, rooms, stateKeepers } from '../../scripts/lint/floors.ts';
import { folderOf } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { lintFiles } from './lint-files.ts';

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
      "export { fakeTool } from '@vitrine/testing';\n",
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
      'the contract of stores imports the steps of the loop',
      `${core}/session/store/a.ts`,
      "export { s } from '../../run/step/s.ts';\n",
      /session\/store must not import core\/run/,
    ],
    [
      'the core imports a store',
      `${core}/session/a.ts`,
      "export { s } from '@vitrine/persist/internal/rows/s';\n",
      /packages\/core may import no other package/,
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
      'the guard of the proxy imports a route',
      'packages/proxy/src/guard/quotas/a.ts',
      "export { r } from '../../routes/r.ts';\n",
      /guard must not import proxy\/routes/,
    ],
    [
      'a stream log imports a provider',
      'packages/proxy/src/stream/redis/a.ts',
      "export { p } from '../../providers/p.ts';\n",
      /stream must not import proxy\/providers/,
    ],
    [
      'the proxy imports its Node server',
      'packages/proxy/src/a.ts',
      "export { n } from './node/n.ts';\n",
      /proxy\/\. must not import proxy\/node/,
    ],
    [
      'zod is used where no unknown data enters',
      `${core}/graph/a.ts`,
      "import * as z from 'zod/mini';\nexport const s = z;\n",
      /zod is for/,
    ],
    [
      'a package of browsers loads the entry of zod that evaluates text',
      'packages/devtools/src/a.ts',
      "import * as z from 'zod';\nexport const s = z;\n",
      /'zod\/mini'/,
    ],
    [
      'zod comes by its named import',
      `${core}/agent/a.ts`,
      "import { z } from 'zod/mini';\nexport const s = z;\n",
      /import \* as z/,
    ],
    ['there is a default export', `${core}/graph/a.ts`, 'export default 1;\n', /no-default-export/],
    [
      'a component reads a ref while it renders',
      'packages/react/src/a.tsx',
      "import { useRef } from 'react';\nexport function A() {\n  const a = useRef(1);\n  return <p>{a.current}</p>;\n}\n",
      /react\(refs\)/,
    ],
  ])('the linter refuses it when %s', { timeout: 20_000 }, (_what, path, text, message) => {
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
  ])('the linter refuses a cycle %s', { timeout: 20_000 }, (_how, a, b) => {
    const { ok, output } = lintFiles({ [`${core}/graph/a.ts`]: a, [`${core}/graph/b.ts`]: b });
    expect(output).toMatch(/no-cycle/);
    expect(ok).toBe(false);
  });

  it.each([
    ['run/decide.ts', "import { apply } from './apply.ts';\nexport const next = apply;\n"],
    ['run/decide.ts', "export * from './apply.ts';\n"],
    ['session/a.ts', "import * as all from '../run/apply.ts';\nexport const next = all;\n"],
    [
      'run/step/a.ts',
      "import { fold, isKnownEvent } from '../apply.ts';\nexport const a = [fold, isKnownEvent];\n",
    ],
    [
      'session/a.ts',
      "import { stepHandlers } from '../run/apply/steps.ts';\nexport const a = stepHandlers;\n",
    ],
    ['run/decide.ts', 'export const next = (run: { state: number }) => {\n  run.state = 1;\n};\n'],
    [
      'session/a.ts',
      'export function a(first: number) {\n  let state = first;\n  return () => {\n    state = 1;\n    return state;\n  };\n}\n',
    ],
    [
      'run/drive.ts',
      "import type { AgentState } from '../graph/types.ts';\nlet current: AgentState | null = null;\nexport function keep(next: AgentState) {\n  current = next;\n  return current;\n}\n",
    ],
  ])(
    'the linter refuses a second place of change, planted in core/%s: %j',
    { timeout: 20_000 },
    (path, text) => {
      const { ok, output } = lintFiles({ [`${core}/${path}`]: text });
      expect(output).toMatch(
        /Only run\/journal\.ts changes the state|keeps the state of an agent beside the journal/,
      );
      expect(ok).toBe(false);
    },
  );

  it('the linter accepts the journal, readers on the list and walks over states', { timeout: 20_000 }, () => {
    const kept =
      'export function a(first: number) {\n  let state = first;\n  return () => {\n    state = state + 1;\n    return state;\n  };\n}\n';
    const { ok, output } = lintFiles({
      [`${core}/run/apply.ts`]: 'export const apply = 1;\nexport const isKnownEvent = 2;\n',
      [`${core}/run/journal.ts`]: `export { apply } from './apply.ts';\n${kept}`,
      'packages/inspect/src/journal-record.ts': "export { apply } from '@vitrine/core/internal/run/apply';\n",
      [`${core}/session/known.ts`]: "export { isKnownEvent } from '../run/apply.ts';\n",
      [`${core}/session/typed.ts`]: "export type { apply } from '../run/apply.ts';\n",
      [`${core}/run/walk.ts`]:
        'export function walk(first: number) {\n  let state = first;\n  while (state < 9) state = state + 1;\n  return state;\n}\n',
    });
    expect(output).toContain('Found 0 warnings and 0 errors');
    expect(ok).toBe(true);
  });

  it('every file that the plan names exists, and every listed reader still calls apply or keeps a state', () => {
    const textOf = (path: string): string => {
      const [name = '', ...rest] = path.split('/');
      return readFileSync(join(root, folderOf(name), 'src', ...rest), 'utf8');
    };
    for (const path of Object.keys(applyCallers))
      expect(textOf(path)).toMatch(/(?:import|export) .*\b(apply|fold)\b.*apply(\.ts)?'/);
    for (const path of Object.keys(stateKeepers))
      expect(textOf(path)).toMatch(/(?:let (?:state|\w+: AgentState)|#state: AgentState)\b/);
    for (const [name, table] of Object.entries(rooms))
      for (const room of Object.keys(table))
        expect(existsSync(join(root, folderOf(name), 'src', room)), room).toBe(true);
  });

  it(
    'the linter accepts imports that go down, schemas with zod, and tests that look everywhere',
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
        [`${core}/agent/b.ts`]: "import * as z from 'zod/mini';\nexport const shape = z;\n",
        [`${core}/graph/b.test.ts`]: "export { a } from '../run/a.ts';\n",
        'packages/devtools/src/c.ts': "export { recorder } from '@vitrine/inspect';\n",
        'packages/react/src/c.test.tsx': "export { fakeTool } from '@vitrine/testing';\n",
      });
      expect(output).toContain('Found 0 warnings and 0 errors');
      expect(ok).toBe(true);
    },
  );

  it('the linter does not take a run without files for a success', () => {
    expect(lintFiles({ 'README.md': '' }).ok).toBe(false);
  });
});
