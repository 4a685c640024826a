import { limits } from '../../scripts/lint/floors.ts';
import type { SourceFile } from './source-file.ts';

/**
 * Circles between what stands beside each other in a folder, files and folders alike, by any import: the linter sees
 * circles of files only, and two folders can hold each other up without one. A folder and a file within it are no pair.
 */
export function circles(files: readonly SourceFile[]): string[] {
  const levels = new Map<string, Map<string, Set<string>>>();
  for (const { path, imports } of files) {
    for (const target of imports) {
      const [from, to] = [path.split('/'), target.split('/')];
      let depth = 0;
      while (from[depth] === to[depth] && depth < from.length) depth++;
      const level = from.slice(0, depth).join('/');
      const [a, b] = [from[depth], to[depth]];
      if (a === undefined || b === undefined) continue;
      const edges = levels.get(level) ?? new Map<string, Set<string>>();
      levels.set(level, edges.set(a, (edges.get(a) ?? new Set()).add(b)));
    }
  }
  return [...levels]
    .flatMap(([level, edges]) => circlesOf(edges).map((circle) => `${level}: ${circle}`))
    .toSorted();
}

/** Every circle once, by the names on its way in the order of the alphabet. */
function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...(edges.get(from) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(edges.get(next) ?? []));
    }
    return seen;
  };
  const reached = new Map([...edges.keys()].map((name) => [name, reach(name)]));
  const groups = [...reached].flatMap(([name, seen]) =>
    seen.has(name)
      ? [
          [...seen]
            .filter((other) => reached.get(other)?.has(name))
            .toSorted()
            .join(' - '),
        ]
      : [],
  );
  return [...new Set(groups)];
}

/** Files with more lines than a file may have. */
export function longFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ lines }) => lines > limits.linesOfFile)
    .map(({ path, lines }) => `${path.split('/').at(-1)}: ${lines} lines, ${path}`);
}

/** Functions with more lines than a function may have. */
export function longFunctions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, functions }) =>
    functions
      .filter(({ lines }) => lines > limits.linesOfFunction)
      .map(({ name, lines }) => `${name}: ${lines} lines, ${path}`),
  );
}

/** Packages with more folders directly below `src` than one overlooks. */
export function crowdedPackages(files: readonly SourceFile[]): string[] {
  const names = foldersOf(files).map((folder) => folder.split('/')[1] ?? '');
  return [...new Set(names)].flatMap((name) => {
    const count = names.filter((other) => other === name).length;
    return count > limits.foldersOfPackage ? [`${name}: ${count} folders`] : [];
  });
}

/** The folders directly below `src`, as `packages/core/src/graph`. */
export function foldersOf(files: readonly SourceFile[]): string[] {
  const folders = files.map(({ path }) => path.split('/')).filter((parts) => parts.length > 4);
  return [...new Set(folders.map((parts) => parts.slice(0, 4).join('/')))];
}

/** Files that are not named after one of their exports; entries, and files that export nothing, are not asked. */
export function misnamed(files: readonly SourceFile[]): { readonly names: string[]; readonly share: number } {
  const asked = files.filter(({ path, exports }) => exports.length > 0 && !/\/index\.tsx?$/.test(path));
  const names = asked.filter(({ path, exports }) => {
    const name = plain((path.split('/').at(-1) ?? '').replace(/\.tsx?$/, ''));
    return !exports.some((exported) => plain(exported) === name);
  });
  return { names: names.map(({ path }) => path), share: 1 - names.length / Math.max(1, asked.length) };
}

/** Functions that two files of a package export under one name: a reader who sees the name knows neither. */
export function namesakes(files: readonly SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, exports, functions } of files) {
    const declared = new Set(functions.map(({ name }) => name));
    const [folder, name] = path.split('/');
    for (const exported of new Set(exports))
      if (declared.has(exported)) {
        const key = `${exported} of ${folder}/${name}`;
        places.set(key, [...(places.get(key) ?? []), path]);
      }
  }
  return [...places].flatMap(([key, paths]) => (paths.length > 1 ? [`${key}: ${paths.join(', ')}`] : []));
}

function plain(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
