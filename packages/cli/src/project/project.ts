import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';

/** An application as its folder tells it. */
export type Project = {
  readonly folder: string;
  readonly kind: 'next' | 'vite' | 'other';
  /** Its own dependencies, with those for development. */
  readonly dependencies: readonly string[];
  /** The sources that people write, by their path from the folder. */
  readonly sources: ReadonlyMap<string, string>;
  /** The variables of its files and of the process, which win. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** A bound of what is read of sources. */
const most = { files: 2_000, bytes: 400_000 };
const folders = ['src', 'app', 'pages', 'server', 'lib', 'components'];

export function readProject(folder: string, env: Project['env'] = process.env): Project {
  const dependencies = dependenciesIn(folder);
  const uses = (name: string): boolean => dependencies.includes(name);
  return {
    folder,
    kind: uses('next') ? 'next' : uses('vite') ? 'vite' : 'other',
    dependencies,
    sources: new Map(sourcesIn(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')])),
    env: { ...variablesIn(join(folder, '.env')), ...variablesIn(join(folder, '.env.local')), ...env },
  };
}

function sourcesIn(folder: string): readonly string[] {
  const below = folders
    .filter((name) => existsSync(join(folder, name)))
    .flatMap((name) =>
      readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
    );
  return [...readdirSync(folder), ...below]
    .filter((path) => /(?:\.[cm]?[jt]sx?|index\.html)$/.test(path) && !/node_modules/.test(path))
    .slice(0, most.files)
    .filter((path) => {
      const stat = statSync(join(folder, path));
      return stat.isFile() && stat.size <= most.bytes;
    })
    .toSorted();
}

function variablesIn(file: string): Project['env'] {
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

function dependenciesIn(folder: string): readonly string[] {
  const manifest = manifestIn(folder);
  return Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies });
}

export type Manifest = {
  readonly version?: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

/** The manifest of a folder; null when there is none, or one that is no JSON. */
export function manifestIn(folder: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return null;
  }
}

/** The folder of the copy of a package that code in a folder gets; null when there is none. */
export function installedFrom(folder: string, name: string): string | null {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (dirname(at) === at) return null;
  }
}
