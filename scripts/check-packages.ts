import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages } from './packages.ts';
import { root } from './root.ts';
import { run } from './run.ts';

// Packs every package as it would be published, and uses it as a stranger would.

type Manifest = { name: string; version: string; exports: Record<string, Record<string, string>> };

const work = mkdtempSync(join(tmpdir(), 'vitrine-packages-'));
const tarballs: string[] = [];
const entries: string[] = [];

for (const name of packages) {
  const staged = stage(name);
  const packed = await run('npm', ['pack', '--pack-destination', work], { cwd: staged, quiet: true });
  if (!packed.ok) fail(`npm pack of ${name} failed:\n${packed.output}`);
  const tarball = join(
    work,
    readdirSync(work).find((file) => file.startsWith(`vitrine-${name}-`)) ??
      fail(`${name}: no tarball was made.`),
  );
  tarballs.push(tarball);
  await must('publint', ['--strict', tarball], `publint of ${name}`);
  await must('attw', ['--profile', 'esm-only', tarball], `attw of ${name}`);
}

const consumer = join(work, 'consumer');
mkdirSync(consumer);
writeFileSync(
  join(consumer, 'package.json'),
  JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
);
const peers = ['react', 'react-dom', '@tanstack/react-query', '@types/react', '@types/react-dom'].map(pinned);
await must(
  'npm',
  ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs, ...peers],
  'Installing the tarballs',
  consumer,
);
writeFileSync(
  join(consumer, 'use.mjs'),
  `${entries.map((entry) => `await import('${entry}');`).join('\n')}\nconsole.log('imported');\n`,
);
await must('node', ['use.mjs'], 'Importing the packages', consumer);
cpSync(join(root, 'tests/public-api/consumer.tsx'), join(consumer, 'consumer.tsx'));
const flags = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--jsx',
  'react-jsx',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--types',
  '',
];
await must(
  'tsc',
  [...flags, '--lib', 'es2023,dom,dom.iterable', 'consumer.tsx'],
  'Type-checking a consumer',
  consumer,
);
await must(
  'node',
  [
    '--experimental-transform-types',
    '--no-warnings',
    '--input-type=module',
    '-e',
    "await import('@vitrine/core')",
  ],
  'A plain import',
  consumer,
);
process.stdout.write(`packed, installed and imported: ${entries.join(', ')}\n`);

/** A copy without what only this repository needs. */
function stage(name: string): string {
  const source = join(root, 'packages', name);
  const target = join(work, `stage-${name}`);
  cpSync(join(source, 'dist'), join(target, 'dist'), { recursive: true });
  for (const file of ['README.md', 'LICENSE']) cpSync(join(source, file), join(target, file));
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  for (const [path, conditions] of Object.entries(manifest.exports)) {
    delete conditions['@vitrine/source'];
    entries.push(path === '.' ? manifest.name : `${manifest.name}${path.slice(1)}`);
  }
  writeFileSync(join(target, 'package.json'), JSON.stringify(manifest, null, 2));
  for (const file of readdirSync(join(target, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const text = readFileSync(join(target, 'dist', file), 'utf8');
    if (text.includes(root) || /from '[^']*\.tsx?'/.test(text))
      fail(`${name}/dist/${file} refers to sources.`);
  }
  return target;
}

function pinned(name: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return `${name}@${devDependencies[name] ?? fail(`${name} is not a devDependency of the root.`)}`;
}

async function must(
  command: string,
  args: readonly string[],
  what: string,
  cwd: string = root,
): Promise<void> {
  const { ok, output } = await run(command, args, { cwd, quiet: true, timeoutMs: 300_000 });
  if (!ok) fail(`${what} failed:\n${output}`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
