import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { packageFolders } from './packages.ts';
import { root } from './root.ts';

// npm run prove -- oldest: the bridges, hooks and stores over the oldest versions of their peers that the manifests allow.

/** Within the repository, so that the peers find React and everything else where the tests do. */
const folder = join(root, 'node_modules/.cache/vitrine-oldest-peers');
/** Peers that have tests of their own for several versions, or are tools of development. */
const left = new Set(['react', 'react-dom', 'vite']);

/** The oldest versions that the bridges are for, of peers that no manifest names because the bridges use none of their code. */
const unnamed = {
  ai: '7.0.0',
  'ai-6': 'npm:ai@6.0.0',
  '@langchain/langgraph-sdk': '1.10.0',
  // A peer of the line before, in the version that tests/peers has.
  '@langchain/core': '1.4.0',
  '@tanstack/ai-client': '0.30.0',
};

/** The lowest version of each peer that the manifests of the packages allow, by its name. */
function oldestPeers(): Readonly<Record<string, string>> {
  const manifests = packageFolders.map(
    (name) =>
      JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as {
        readonly peerDependencies?: Readonly<Record<string, string>>;
      },
  );
  const peers = manifests.flatMap(({ peerDependencies = {} }) => Object.entries(peerDependencies));
  const named = peers
    .filter(([name]) => !left.has(name) && !name.startsWith('@vitrine/'))
    .map(([name, range]) => [name, `${range.replace(/^\D+/, '')}.0.0`.split('.').slice(0, 3).join('.')]);
  return { ...Object.fromEntries(named), ...unnamed };
}

/** Installs them. */
export function installOldestPeers(): void {
  mkdirSync(folder, { recursive: true });
  const dependencies = oldestPeers();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps', '--ignore-scripts'];
  execFileSync('npm', ['install', ...quiet], { cwd: folder, stdio: 'inherit' });
  process.stdout.write(`${JSON.stringify(dependencies, null, 2)}\n`);
}

/** Resolves the peers to their oldest versions while `OLDEST_PEERS` is set. */
export function withOldestPeers(): Plugin[] {
  if (process.env['OLDEST_PEERS'] === undefined) return [];
  const names = Object.keys(oldestPeers());
  return [
    {
      name: 'oldest-peers',
      enforce: 'pre',
      async resolveId(source, importer) {
        if (importer === undefined || importer.includes('/node_modules/')) return null;
        if (!names.some((name) => source === name || source.startsWith(`${name}/`))) return null;
        const found = await this.resolve(source, join(folder, 'package.json'), { skipSelf: true });
        if (!found?.id.includes(folder))
          throw new Error(`${source} is not in ${folder}: npm run prove -- oldest`);
        return found;
      },
    },
  ];
}

if (process.argv[1] === import.meta.filename) installOldestPeers();
