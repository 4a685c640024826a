import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

/** The folders of all published packages, from the root: `packages/core`, `bridges/mcp` … */
export const packageFolders: readonly string[] = ['packages', 'bridges'].flatMap((base) =>
  readdirSync(join(root, base))
    .map((name) => `${base}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json'))),
);

type Manifest = {
  readonly name: string;
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly peerDependencies?: object;
};

/**
 * The folders of packages and applications that changed files reach: their own, all that depend on those, and those whose
 * tests use them.
 */
export function reachedFolders(files: readonly string[]): readonly string[] {
  const workspaces = [...packageFolders, 'apps/demo', 'apps/registry'].flatMap((folder) => {
    const path = join(root, folder, 'package.json');
    return existsSync(path) ? [{ folder, ...(JSON.parse(readFileSync(path, 'utf8')) as Manifest) }] : [];
  });
  let reached = workspaces.filter(({ folder }) => files.some((file) => file.startsWith(`${folder}/`)));
  const isReached = (names: object): boolean => reached.some(({ name }) => name in names);
  for (let known = -1; known < reached.length;) {
    known = reached.length;
    reached = workspaces.filter(
      (one) => reached.includes(one) || isReached({ ...one.dependencies, ...one.peerDependencies }),
    );
  }
  return workspaces
    .filter((one) => reached.includes(one) || isReached({ ...one.devDependencies }))
    .map(({ folder }) => folder);
}

/** The folder of the package `@vitrine/NAME`. @throws Error when there is none */
export function folderOf(name: string): string {
  const found = packageFolders.find((folder) => folder.endsWith(`/${name}`));
  if (found === undefined) throw new Error(`There is no package ${name}.`);
  return found;
}
