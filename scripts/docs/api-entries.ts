import { readFileSync } from 'node:fs';
import { root } from '../root.ts';

type Exports = Readonly<Record<string, string | { readonly types?: string }>>;

/** Every public entry of the built packages, such as `@vitrine/core/stores`, with the path of its declarations. */
export function apiEntries(): ReadonlyMap<string, string> {
  const entries = ['core', 'react', 'devtools', 'proxy', 'server'].flatMap((name) => {
    const manifest = JSON.parse(readFileSync(`${root}/packages/${name}/package.json`, 'utf8')) as {
      readonly exports: Exports;
    };
    return Object.entries(manifest.exports).flatMap(([path, entry]): [string, string][] =>
      typeof entry === 'string' || entry.types === undefined
        ? []
        : [[`@vitrine/${name}${path.slice(1)}`, `packages/${name}/${entry.types.slice(2)}`]],
    );
  });
  return new Map(entries);
}
