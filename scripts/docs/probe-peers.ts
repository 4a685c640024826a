import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { run } from '../run.ts';
import { namesFound, probedPackages, signs, typesIn } from './probes.ts';

// `npm run probe` packs the newest version of each peer, or the one that this repository installs, and writes what it
// finds into scripts/docs/probed.json.

type Dependencies = Readonly<Record<string, string>>;
const manifestOf = (path: string) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    dependencies?: Dependencies;
    devDependencies?: Dependencies;
  };
const own: Dependencies = {
  ...manifestOf('package.json').devDependencies,
  ...manifestOf('tests/peers/package.json').dependencies,
};

const folder = mkdtempSync(join(tmpdir(), 'vitrine-probe-'));
const found: Record<string, unknown> = {};
for (const [peer, packages] of Object.entries(probedPackages)) {
  const versions: Record<string, string> = {};
  const folders = [];
  for (const name of packages) {
    const into = join(folder, name.replaceAll('/', '+'));
    mkdirSync(into, { recursive: true });
    const packed = await run('npm', ['pack', '--silent', `${name}@${own[name] ?? 'latest'}`], {
      cwd: into,
      quiet: true,
    });
    const file = packed.output.trim().split('\n').at(-1) ?? '';
    const { ok, output } = await run('tar', ['xzf', file], { cwd: into, quiet: true });
    if (!packed.ok || !ok) throw new Error(`${name} was not packed: ${packed.output}${output}`);
    const manifest = JSON.parse(readFileSync(join(into, 'package/package.json'), 'utf8')) as {
      version: string;
    };
    versions[name] = manifest.version;
    folders.push(join(into, 'package'));
  }
  const types = typesIn(folders);
  const names = Object.entries(signs).map(([feature, sign]) => [feature, namesFound(sign, types)] as const);
  found[peer] = { versions, names: Object.fromEntries(names.filter(([, list]) => list.length > 0)) };
}
rmSync(folder, { recursive: true });
const day = new Date().toISOString().slice(0, 10);
writeFileSync(join(root, 'scripts/docs/probed.json'), `${JSON.stringify({ day, peers: found }, null, 2)}\n`);
