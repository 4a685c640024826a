import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const program = fileURLToPath(new URL('create-vitrine.ts', import.meta.url));
const own = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'create-vitrine-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the program in the folder, as npm does. */
function create(...args: readonly string[]): Promise<{ code: number; output: string; complaint: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { cwd: folder },
      (error, output, complaint) => resolve({ code: Number(error?.code ?? 0), output, complaint }),
    );
    child.stdin?.end();
  });
}

function filesOf(name: string): string[] {
  return globSync('**/{*,.*}', { cwd: join(folder, name), withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

function manifestIn(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

it.each(['vite', 'next', 'express', 'ollama', 'no-backend'])(
  'the template %s has at most 12 files, and ignores what npm installs',
  async (template) => {
    const { code, output } = await create(`My ${template}!`, '--template', template);
    expect(code).toBe(0);
    expect(output).toContain('npm run dev');
    const files = filesOf(`My ${template}!`);
    expect(files.length).toBeLessThanOrEqual(12);
    expect(files).toEqual(expect.arrayContaining(['package.json', '.gitignore', 'README.md', 'AGENTS.md']));
    expect(files.filter((name) => name.startsWith('_'))).toEqual([]);
    expect(manifestIn(join(folder, `My ${template}!`, 'package.json')).name).toBe(`my-${template}`);
  },
);

it('a folder with files is left as it is', async () => {
  await create('twice', '--template', 'vite');
  writeFileSync(join(folder, 'twice/README.md'), 'mine');
  const { code, complaint } = await create('twice', '--template', 'vite');
  expect(code).toBe(1);
  expect(complaint).toMatch(/twice is not empty .* Nothing was written: choose another folder\./);
  expect(readFileSync(join(folder, 'twice/README.md'), 'utf8')).toBe('mine');
});

it('an unknown template is named, with those that exist', async () => {
  const { code, complaint } = await create('unknown', '--template', 'svelte');
  expect(code).toBe(1);
  expect(complaint).toBe(
    'There is no template "svelte". Choose one of these: vite, next, express, ollama, no-backend.\n',
  );
  expect(filesOf('unknown')).toEqual([]);
});

it('an unknown option shows what can be given', async () => {
  const { code, complaint } = await create('--templat', 'vite');
  expect(code).toBe(1);
  expect(complaint).toContain("Unknown option '--templat'");
  expect(complaint).toContain('npm create vitrine [folder] -- --template <template>');
});

it('templates ask for the versions that this repository tests', () => {
  const repository = join(own, '../..');
  const next = manifestIn(join(repository, 'tests/next-app/package.json')).dependencies;
  // Packages that few tests need stand apart, in exact versions.
  const apart = manifestIn(join(repository, 'tests/peers/package.json')).dependencies;
  const testedVersion = (name: string) =>
    next[name] ?? apart[name] ?? manifestIn(join(repository, 'node_modules', name, 'package.json')).version;
  for (const file of globSync('templates/*/package.json', { cwd: own })) {
    const { dependencies, devDependencies } = manifestIn(join(own, file));
    const asked = Object.entries({ ...dependencies, ...devDependencies })
      // Next needs the JavaScript interface of TypeScript, which version 7 does not have.
      .filter(([name]) => !(file.includes('next') && name === 'typescript'));
    expect(asked, file).toEqual(asked.map(([name]) => [name, `^${testedVersion(name)}`]));
  }
});
