import { readFileSync } from 'node:fs';
import { packageFolders } from '../packages.ts';
import { root } from '../root.ts';

type Exports = Readonly<Record<string, string | { readonly types?: string }>>;

/** Every public entry of the built packages, such as `@vitrine/ag-ui/observe`, with the path of its declarations. */
export function apiEntries(): ReadonlyMap<string, string> {
  const entries = packageFolders.flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(`${root}/${folder}/package.json`, 'utf8')) as {
      readonly name: string;
      readonly exports?: Exports;
    };
    return Object.entries(manifest.exports ?? {}).flatMap(([path, entry]): [string, string][] =>
      typeof entry === 'string' || entry.types === undefined || path.startsWith('./internal/')
        ? []
        : [[`${manifest.name}${path.slice(1)}`, `${folder}/${entry.types.slice(2)}`]],
    );
  });
  return new Map(entries);
}
