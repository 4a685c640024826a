import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from '../lint/place.ts';

/** The files and lines of a room, without tests and their fixtures. */
export type Room = { readonly name: string; readonly files: number; readonly lines: number };

/** The rooms of core, and each other product as one room, with the sum of all. */
export function roomsOf(checkout: string): Room[] {
  const paths = globSync(
    ['{packages,bridges}/*/src/**/*.{ts,tsx}', 'apps/demo/{src,server}/**/*.{ts,tsx}', 'scripts/**/*.ts'],
    {
      cwd: checkout,
    },
  );
  const rooms = new Map<string, { files: number; lines: number }>();
  for (const path of paths.filter((file) => !isTest(file))) {
    const lines = readFileSync(join(checkout, path), 'utf8').trimEnd().split('\n').length;
    for (const name of namesOf(path)) {
      const room = rooms.get(name) ?? { files: 0, lines: 0 };
      rooms.set(name, { files: room.files + 1, lines: room.lines + lines });
    }
  }
  return [...rooms].map(([name, room]) => ({ name, ...room })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The room of a file, and the larger ones that hold it. */
function namesOf(path: string): string[] {
  const parts = path.split('/');
  if (parts[0] !== 'packages' && parts[0] !== 'bridges') return [parts[0] ?? '', 'all'];
  const [, name = '', , room = ''] = parts;
  if (name !== 'core') return [name, 'packages', 'all'];
  return [parts.length > 4 ? `core/${room}` : 'core/index', 'core', 'packages', 'all'];
}
