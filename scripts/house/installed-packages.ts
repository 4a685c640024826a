import { posix } from 'node:path';

/** Names as npm writes them: `["linux"]`, `["!win32"]`, or one of them without a list. */
type Allowed = readonly string[] | string;

type Entry = {
  readonly link?: boolean;
  readonly os?: Allowed;
  readonly cpu?: Allowed;
  readonly libc?: Allowed;
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
};

/** The part of a package-lock.json that says what is installed where. */
export type LockFile = { readonly packages: Readonly<Record<string, Entry>> };

/** The folders that `npm ci` fills on Linux on x64, by a walk from the manifests over what each package needs. */
export function installedPackages({ packages }: LockFile): readonly string[] {
  const own = Object.keys(packages).filter((path) => !path.includes('node_modules/'));
  const reached = new Set<string>();
  const open = [...own];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const entry = packages[path];
    if (entry === undefined || reached.has(path) || !fitsLinux(entry)) continue;
    reached.add(path);
    for (const name of neededBy(entry, own.includes(path)))
      open.push(foundFrom(packages, path, name) ?? path);
  }
  return [...reached].filter((path) => path.includes('node_modules/') && packages[path]?.link !== true);
}

function neededBy(entry: Entry, isOwn: boolean): readonly string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = entry;
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  const development = isOwn ? Object.keys(devDependencies ?? {}) : [];
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers, ...development];
}

/** The folder that Node finds: the innermost one above. */
function foundFrom(packages: LockFile['packages'], path: string, name: string): string | null {
  for (let folder = path; ; folder = posix.dirname(folder)) {
    const found = posix.join(folder, 'node_modules', name);
    if (packages[found] !== undefined) return found;
    if (folder === '.' || folder === '') return null;
  }
}

function fitsLinux({ os, cpu, libc }: Entry): boolean {
  return fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc');
}

function fits(list: Allowed | undefined, value: string): boolean {
  if (list === undefined) return true;
  const names = [list].flat();
  return (
    !names.includes(`!${value}`) && (names.includes(value) || names.every((name) => name.startsWith('!')))
  );
}
