import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';
import { libraryOf, namelessIn } from './library-of.ts';
import { publicNames } from './public-names.ts';
import { entriesOf } from './source-module.ts';

// Every package as it would be published, used as a stranger would use it. Needs the builds.

type Manifest = {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly version: string;
};

const work = mkdtempSync(join(tmpdir(), 'vitrine-stranger-'));
// A package without exports is a program; tests/starts runs it.
const folders = packageFolders.filter((folder) => Object.keys(manifest(folder).exports).length > 0);
const packages = folders.map((folder) => folder.split('/')[1] ?? '');
const entries = folders.flatMap((folder) => {
  const { name: full, exports } = manifest(folder);
  const modules = Object.keys(exports).filter((path) => !/\.css$|^\.\/internal\//.test(path));
  return modules.map((path) => `${full}${path.slice(1)}`);
});

beforeAll(async () => {
  for (const folder of folders) {
    await must('npm', ['pack', '--pack-destination', work], join(root, folder));
  }
  const tarballs = readdirSync(work).map((file) => join(work, file));
  writeFileSync(join(work, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }');
  const peers = [
    'react',
    'react-dom',
    'zustand',
    'jose',
    'prom-client',
    '@opentelemetry/api',
    '@dbos-inc/dbos-sdk',
    'pg',
    'vite',
    '@tanstack/react-query',
    '@assistant-ui/react',
    '@types/react',
    '@types/react-dom',
  ].map(pinned);
  await must('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs, ...peers]);
}, 300_000);

afterAll(() => rmSync(work, { recursive: true }));

it('every package packs with what it needs, and nothing of this machine', () => {
  for (const name of packages) {
    const folder = join(work, 'node_modules/@vitrine', name);
    const files = globSync('**/*', { cwd: folder });
    expect(files).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        expect.stringMatching(/^dist\/[^/]+\.d\.ts\.map$/),
      ]),
    );
    expect(files.filter((file) => /\.test[.-]|fixture|tsbuildinfo/.test(file))).toEqual([]);
    const modules = files.filter((path) => /^dist\/.*\.js$/.test(path));
    const promised = modules.flatMap((path) => [path.replace(/\.js$/, '.d.ts'), `${path}.map`]);
    expect(promised.filter((path) => !files.includes(path))).toEqual([]);
    for (const file of modules) {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(text.includes(root) || /from '[^']*\.tsx?'/.test(text), `${file} refers to sources`).toBe(false);
    }
  }
});

it('the maps lead to sources that are there', () => {
  for (const name of packages) {
    const folder = join(work, 'node_modules/@vitrine', name, 'dist');
    for (const file of globSync('**/*.map', { cwd: folder })) {
      const map = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
        readonly sources: readonly string[];
      };
      const missing = map.sources.filter((source) => globSync(join(folder, file, '..', source)).length === 0);
      expect(missing, `${name}/dist/${file}`).toEqual([]);
    }
  }
});

it('every entry imports in Node', { timeout: 60_000 }, async () => {
  expect(entries).toContain('@vitrine/core');
  const code = entries.map((entry) => `await import('${entry}');`).join('\n');
  writeFileSync(join(work, 'use.mjs'), `${code}\nprocess.stdout.write('imported');\n`);
  expect(await must('node', ['use.mjs'])).toContain('imported');
});

it('npx @vitrine/proxy serves from the folder of an application', { timeout: 60_000 }, async () => {
  expect(await must('npx', ['--no-install', '@vitrine/proxy', '--help'])).toContain('--models <list>');
  writeFileSync(join(work, '.env'), 'VITRINE_MODELS=demo:offline\n');
  const child = spawn('npx', ['--no-install', '@vitrine/proxy', '--port', '0'], {
    cwd: work,
    detached: true,
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [url = ''] = /http:\S+/.exec(String(line)) ?? [];
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({
      models: [{ id: 'demo:offline' }],
    });
  } finally {
    // npx and the command that it has started.
    process.kill(-(child.pid ?? 0));
  }
});

it('what a stranger writes passes the type check', { timeout: 120_000 }, async () => {
  await compile('src', { noEmit: true }, (folder) =>
    cpSync(join(root, 'tests/public-api/consumer.tsx'), join(folder, 'consumer.tsx')),
  );
});

it(
  'the declarations of a library built on all of it find a name for every type',
  { timeout: 120_000 },
  async () => {
    const emitted = join(work, 'library-types');
    const options = {
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: 'library',
      outDir: emitted,
      // What the operator's side needs of Node is not there.
      skipLibCheck: true,
    };
    await compile('library', options, (folder) => {
      for (const name of packages)
        for (const [path, source] of Object.entries(entriesOf(name))) {
          const entry = `@vitrine/${name}${path.slice(1)}`;
          const file = `${entry.replaceAll(/\W+/g, '-')}.ts`;
          writeFileSync(join(folder, file), libraryOf(entry, publicNames(source)));
        }
    });
    const written = readdirSync(emitted);
    expect(written.length).toBeGreaterThanOrEqual(entries.length);
    const nameless = written.flatMap((file) => namelessIn(readFileSync(join(emitted, file), 'utf8')));
    expect(nameless, 'Export these from an entry; types that nobody writes from types.ts').toEqual([]);
  },
);

/** Compiles a folder of sources as a stranger's project would. @throws Error with what the compiler says. */
async function compile(name: string, options: object, write: (folder: string) => void): Promise<void> {
  mkdirSync(join(work, name));
  write(join(work, name));
  const project = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      jsx: 'react-jsx',
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
      ...options,
    },
    include: [name],
  };
  writeFileSync(join(work, `${name}.json`), JSON.stringify(project));
  await must('tsc', ['-p', `${name}.json`]);
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

/** In the version that this repository has. */
function pinned(name: string): string {
  const { version } = manifest(`node_modules/${name}`);
  return `${name}@${version}`;
}

async function must(command: string, args: readonly string[], cwd: string = work): Promise<string> {
  const { ok, output } = await run(command, args, { cwd, quiet: true, timeoutMs: 300_000 });
  if (!ok) throw new Error(`${command} ${args[0]} failed:\n${output}`);
  return output;
}
