import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { documented, packageDocs, writePackageDocs } from '../../scripts/docs/package-docs.ts';
import { withRepository } from '../../scripts/name-repository.ts';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly publishConfig?: object;
  readonly exports?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
};

const packages = packageFolders.map((folder) => ({
  folder,
  manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest,
}));
const withEntries = packages.filter(({ manifest }) => publicEntriesOf(manifest).length > 1);

/** The entries of a package without those for packages of this repository, and without styles. */
function publicEntriesOf({ exports = {} }: Manifest): readonly string[] {
  return Object.keys(exports).filter((entry) => !/^\.\/internal\/|\.css$/.test(entry));
}

describe('the packages', () => {
  beforeAll(writePackageDocs);

  it.each(packages)('$manifest.name says what the registry shows', ({ folder, manifest }) => {
    expect(manifest).toMatchObject({ license: 'MIT', type: 'module', publishConfig: { access: 'public' } });
    expect(manifest.description?.length).toBeGreaterThan(30);
    expect(manifest.keywords?.length).toBeGreaterThan(4);
    expect(manifest.engines?.node).toMatch(/^>=\d+\.\d+$/);
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
    const changes = readFileSync(join(root, folder, 'CHANGELOG.md'), 'utf8');
    expect(changes.startsWith(`# ${manifest.name}\n\n## ${manifest.version}\n`)).toBe(true);
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`(${folder}/CHANGELOG.md)`);
    expect(readFileSync(join(root, folder, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(root, 'LICENSE'), 'utf8'),
    );
  });

  it.each(withEntries)(
    'the table of entries in the README of $manifest.name has all of them',
    ({ folder, manifest }) => {
      const entries = publicEntriesOf(manifest).map((entry) => `\`${manifest.name}${entry.slice(1)}\``);
      const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
      const named = [...readme.matchAll(/^\| (`@vitrine\/[^`]+`) +\|/gm)].map(([, entry]) => entry);
      expect(named.toSorted()).toEqual(entries.toSorted());
    },
  );

  it('all packages have one version, ask each other for it, and are released together', () => {
    const names = packages.map(({ manifest }) => manifest.name);
    const [first] = packages;
    const version = first?.manifest.version ?? '';
    for (const { manifest } of packages) {
      expect(manifest.version).toBe(version);
      for (const [name, range] of Object.entries(manifest.dependencies ?? {}))
        if (names.includes(name)) expect(range, `${manifest.name} asks for ${name}`).toBe(`^${version}`);
    }
    const { fixed } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8')) as {
      readonly fixed: readonly (readonly string[])[];
    };
    expect(fixed.flat().toSorted()).toEqual(names.toSorted());
  });

  it.each(packages)(
    '$manifest.name packs sources without tests, and nothing else of this repository',
    { timeout: 60_000 },
    async ({ folder }) => {
      const { ok, output } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: join(root, folder),
        quiet: true,
      });
      expect(ok, output).toBe(true);
      const [{ files }] = JSON.parse(output.slice(output.indexOf('['))) as readonly [
        { readonly files: readonly { readonly path: string }[] },
      ];
      const paths = files.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']));
      expect(paths.filter((path) => /\.test|\.test-d|fixture|tsbuildinfo|\.env/.test(path))).toEqual([]);
      const isExpected =
        /^(codemods|dist|schemas|src|templates)\/|^(LICENSE|README\.md|CHANGELOG\.md|package\.json)$/;
      const guide = documented.some((name) => folder === `packages/${name}`) ? [...packageDocs().keys()] : [];
      expect(paths).toEqual(expect.arrayContaining(guide));
      expect(paths.filter((path) => !isExpected.test(path) && !guide.includes(path))).toEqual([]);
    },
  );

  it('the address of the repository is written before packages are published', () => {
    const named = withRepository({ name: 'a' }, 'https://git.example/owner/name', 'packages/a');
    expect(named).toEqual({
      name: 'a',
      repository: { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/a' },
      homepage: 'https://git.example/owner/name/tree/main/packages/a#readme',
      bugs: 'https://git.example/owner/name/issues',
    });
  });
});

describe('the workflows', () => {
  const read = (name: string): string => readFileSync(join(root, '.github/workflows', name), 'utf8');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  it('the workflow of releases publishes with provenance, and changes run what .ci/run runs', () => {
    expect(read('release.yml')).toMatch(/id-token: write/);
    expect(read('release.yml')).toMatch(/NPM_CONFIG_PROVENANCE: true/);
    expect(read('ci.yml')).toMatch(/run: \.\/\.ci\/run/);
  });

  it.each(['ci.yml', 'release.yml'])('%s names only scripts of this repository', (name) => {
    const named = [...read(name).matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  });
});
