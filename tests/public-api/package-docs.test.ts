import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { defineAgent, createAgentSession } from '@vitrine/core';
import { createRecorder, exportTrace, sessionHub } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { documented, packageDocs } from '../../scripts/docs/package-docs.ts';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';

// What a coding agent finds in node_modules. The snippets of the skill run in guide-examples.test.ts, and
// manifests.test.ts looks for these files in what npm packs.

const files = packageDocs();
const skill = files.get('skills/vitrine/SKILL.md') ?? '';
const withoutCode = (text: string): string => text.replaceAll(/```[^]*?```|`[^`\n]*`/g, '');

it('every link of a page in the packages leads to a page in the same package', () => {
  const links = [...files].flatMap(([path, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, target = '']) => ({
      path,
      target,
    })),
  );
  const lost = links.filter(
    ({ path, target }) =>
      !/^https?:/.test(target) && !files.has(posix.normalize(posix.join(posix.dirname(path), target))),
  );
  expect(lost).toEqual([]);
  expect(links.length).toBeGreaterThan(300);
});

it('pages in the packages show neither hidden code nor pictures', () => {
  const bad = [...files].filter(([, text]) =>
    /<!-- (?:before|after)\n|!\[/.test(text.replaceAll(/```[^]*?```/g, '')),
  );
  expect(bad.map(([path]) => path)).toEqual([]);
});

it('pages in the packages align no table, and no sentence points to a decision that is not there', () => {
  const text = [...files.values()].join('\n').replaceAll(/```[^]*?```/g, '');
  expect(text.match(/^\|.* {2,}\|$/m)).toBeNull();
  expect(text.match(/.* has the reasons.*/)).toBeNull();
});

it('every README of a package names its page in node_modules, which is there', () => {
  for (const folder of packageFolders.filter((path) => !path.endsWith('create-vitrine'))) {
    const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
    const [line = ''] = /In `node_modules`: .+/.exec(readme) ?? [];
    const named = [...line.matchAll(/`@vitrine\/(\w+)\/(docs\/[\w-]+\.md)`/g)];
    expect(named.length, folder).toBeGreaterThan(0);
    for (const [whole, name = '', path = ''] of named)
      expect([(documented as readonly string[]).includes(name), files.has(path)], whole).toEqual([
        true,
        true,
      ]);
  }
});

it('llms.txt lists every page of the package once', () => {
  const list = files.get('llms.txt') ?? '';
  for (const path of files.keys())
    if (path !== 'llms.txt') expect(list.split(`](${path})`), path).toHaveLength(2);
});

it('the skill has the front matter of the open format, and a short text', () => {
  const [, name = '', description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? [];
  expect(name).toBe('vitrine');
  expect(description.length).toBeGreaterThan(100);
  expect(description.length).toBeLessThanOrEqual(1024);
  expect(skill.split('\n').length).toBeLessThan(150);
});

it('every template and every example has a page for coding agents, whose files exist', () => {
  const pages = globSync(
    ['packages/create-vitrine/templates/{page,next}/AGENTS.md', 'examples/*/AGENTS.md'],
    { cwd: root },
  );
  expect(pages).toHaveLength(2 + globSync('examples/*/package.json', { cwd: root }).length);
  const packed = new Set(
    documented.flatMap((name) => [...files.keys()].map((path) => `@vitrine/${name}/${path}`)),
  );
  for (const page of pages) {
    const folder = join(root, page, '..');
    const code = [...readFileSync(join(root, page), 'utf8').matchAll(/`([^`\n]+)`/g)].map(
      ([, text = '']) => text,
    );
    const names = code.filter(
      (text) => /^[\w.@[\]/-]+\/?$/.test(text) && /[/.]/.test(text) && !text.startsWith('@'),
    );
    const missing = names.filter((path) => {
      const [, within] = /^node_modules\/(.+?)\/?$/.exec(path) ?? [];
      if (within !== undefined)
        return ![...packed].some((one) => one === within || one.startsWith(`${within}/`));
      const written = path === '.env.local' ? '_env.example' : path.replace(/^\.env/, '_env');
      return globSync(written.replaceAll(/[[\]]/g, '?'), { cwd: folder }).length === 0;
    });
    expect(missing, page).toEqual([]);
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    const named = names.flatMap((path) => /^node_modules\/(@vitrine\/[a-z-]+)/.exec(path)?.slice(1) ?? []);
    expect(
      named.filter((name) => !Object.hasOwn(dependencies, name)),
      page,
    ).toEqual([]);
  }
});

describe('the commands of the skill', () => {
  const commands = [...skill.matchAll(/^npx @vitrine\/cli (.+)$/gm)].map(([, rest = '']) => rest.split(' '));
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-skill-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await mkdir(join(folder, 'src'));
    const source = `import { defineAgent } from '@vitrine/core';\nexport const assistant = defineAgent({ name: 'assistant' });\n`;
    await writeFile(join(folder, 'src/assistant.ts'), source);
    const recorder = createRecorder();
    const agent = defineAgent({ name: 'assistant', inference: scriptedInference([{ text: 'Hello!' }]) });
    const session = createAgentSession({ agent });
    await session.sendMessage('Hi');
    const [source_] = sessionHub().sources().slice(-1);
    if (source_ === undefined) throw new Error('The session is not in the hub.');
    const { document } = exportTrace(recorder.read(source_), { name: 'assistant', exportedAt: 5 });
    await writeFile(join(folder, 'trace.json'), JSON.stringify(document));
    await session.dispose();
    recorder.dispose();
  });

  it('the skill has commands of the package that is there', () => {
    expect(commands.length).toBeGreaterThanOrEqual(3);
    const named = [...skill.matchAll(/npx (@vitrine\/[\w-]+)|Install `(@vitrine\/[\w-]+)`/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    const there = packageFolders.map((path) => `@vitrine/${posix.basename(path)}`);
    expect(named.filter((name) => !there.includes(name))).toEqual([]);
  });

  it.each(commands.map((args) => [args.join(' '), args] as const))(
    'npx @vitrine/cli %s runs',
    async (_, args) => {
      const program = join(root, 'packages/cli/src/vitrine.ts');
      const { code, err } = await new Promise<{ code: number; err: string }>((resolve) => {
        execFile(
          process.execPath,
          ['--conditions=@vitrine/source', program, ...args],
          { cwd: folder },
          (error, _out, err) => resolve({ code: Number(error?.code ?? 0), err }),
        );
      });
      expect(err.replaceAll(/^.*ExperimentalWarning.*\n|^\(Use .*\n/gm, '')).toBe('');
      expect(code).toBe(0);
    },
  );
});
