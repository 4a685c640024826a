import { packageFolders } from '../../scripts/packages.ts';
import { entriesOf } from '../public-api/source-module.ts';

/** Entries that hold types only, or the same functions for production. */
const withoutOwn = new Set(['@vitrine/core/types', '@vitrine/devtools/production']);

/** The functions that applications may import, by entry and name; those of the main entry of core by their name alone. */
export async function publicFunctions(): Promise<readonly string[]> {
  const entries = packageFolders
    .map((folder) => folder.split('/')[1] ?? '')
    .flatMap((name) => Object.keys(entriesOf(name)).map((path) => `@vitrine/${name}${path.slice(1)}`));
  const core = new Set(await functionsOf('@vitrine/core'));
  const found = [...core];
  for (const entry of entries) {
    if (entry === '@vitrine/core' || withoutOwn.has(entry)) continue;
    for (const name of await functionsOf(entry))
      // The entry of React hands on all of core.
      if (entry !== '@vitrine/react' || !core.has(name)) found.push(`${entry} ${name}`);
  }
  return found;
}

async function functionsOf(entry: string): Promise<readonly string[]> {
  const module = (await import(/* @vite-ignore */ entry)) as Readonly<Record<string, unknown>>;
  return Object.entries(module).flatMap(([name, value]) => {
    if (typeof value === 'function') return [name];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([member, inner]) =>
      typeof inner === 'function' ? [`${name}.${member}`] : [],
    );
  });
}
