import { posix } from 'node:path';

/** The place of a file: its package, its bridge or its application, and its path below `src`. */
export type Place = {
  readonly kind: 'packages' | 'bridges' | 'apps';
  readonly name: string;
  readonly path: string;
  readonly isSource: boolean;
};

/** The place of an absolute path; null outside of packages and applications. */
export function placeOf(file: string): Place | null {
  const match = /^.*\/(packages|bridges|apps)\/([\w-]+)\/(.+)$/.exec(file.replaceAll('\\', '/'));
  if (match === null) return null;
  const [, kind, name, rest] = match as unknown as [string, Place['kind'], string, string];
  return { kind, name, path: rest.replace(/^src\//, ''), isSource: rest.startsWith('src/') };
}

/** The innermost of the rooms that holds a path; `.` for what stands in none and is no folder of its own. */
export function roomOf(path: string, rooms: readonly string[]): string | null {
  const holding = rooms.filter((room) => path.startsWith(`${room}/`));
  const innermost = holding.toSorted((a, b) => b.length - a.length)[0];
  return innermost ?? (path.includes('/') ? null : '.');
}

/** The absolute path that a relative import means. */
export function resolveImport(file: string, specifier: string): string {
  return posix.join(posix.dirname(file.replaceAll('\\', '/')), specifier);
}

/** Tests, type tests and their fixtures, which may import anything. */
export function isTest(file: string): boolean {
  return (
    /\.(test|test-d|browser\.test|fixture)\.tsx?$|\/fixtures[./]/.test(file) ||
    /(^|\/)(tests|benches)\//.test(file.replace(/^.*\/(packages|bridges|apps)\//, ''))
  );
}
