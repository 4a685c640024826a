import { existsSync } from 'node:fs';
import { closed, packages, rooms, stateDoor, zodPlaces } from './floors.ts';
import { isTest, type Place, placeOf, resolveImport, roomOf } from './place.ts';

/** What is wrong with an import, as a sentence; null when it goes where it may. */
export function importFault(file: string, specifier: string): string | null {
  const place = placeOf(file);
  if (/^@vitrine\/[^/]+\/(src|dist)(\/|$)/.test(specifier)) return throughTheDoor(specifier);
  if (specifier.startsWith('@vitrine/')) return place === null ? null : packageFault(file, place, specifier);
  if (!specifier.startsWith('.')) return null;
  const target = placeOf(resolveImport(file, specifier));
  if (target === null || !target.isSource) return null;
  if (place === null || target.name !== place.name || target.kind !== place.kind)
    return target.kind === 'packages' ? throughTheDoor(specifier) : null;
  return isTest(file) ? null : (indexFault(place, target) ?? roomFault(place, target));
}

function throughTheDoor(specifier: string): string {
  return `${specifier}: import packages through their public entry points.`;
}

function packageFault(file: string, place: Place, specifier: string): string | null {
  const allowed = packages[place.name];
  if (place.kind !== 'packages' || allowed === undefined || !place.isSource || isTest(file)) return null;
  if (allowed.includes(specifier)) return null;
  return `packages/${place.name} may import ${allowed.join(', ') || 'no other package'}, not ${specifier}.`;
}

function indexFault(place: Place, target: Place): string | null {
  const isEntry =
    /^index\.tsx?$/.test(target.path) || (place.name === 'core' && target.path.endsWith('/index.ts'));
  if (!isEntry || place.kind !== 'packages' || /(^|\/)index\.tsx?$/.test(place.path)) return null;
  return `${target.path} is an entry for other packages: import the file that has the name.`;
}

function roomFault(place: Place, target: Place): string | null {
  const table = place.kind === 'packages' ? rooms[place.name] : undefined;
  // The entries of a package collect names from everywhere.
  if (table === undefined || !place.isSource || /^(index|production)\.tsx?$/.test(place.path)) return null;
  const from = roomOf(place.path, Object.keys(table));
  const to = roomOf(target.path, Object.keys(table));
  if (from === null || to === null || from === to) return null;
  const allowed = table[from];
  if (allowed === undefined) return null;
  const isClosed = closed[place.name]?.[from]?.includes(to) ?? false;
  if (allowed.includes(to) && !isClosed) return null;
  return `${place.name}/${from} must not import ${place.name}/${to}: ${target.path} is no room below it.`;
}

/** What is wrong with where zod is imported, or how; null when nothing is. */
export function zodFault(file: string, isNamespace: boolean): string | null {
  const place = placeOf(file);
  if (place === null || isTest(file)) return null;
  if (!isNamespace) return "Write import * as z from 'zod' or 'zod/mini': the named import ships all of zod.";
  if (place.kind !== 'packages' || place.name !== 'core') return null;
  // A folder that is in no room yet is judged by nobody.
  if (roomOf(place.path, Object.keys(rooms['core'] ?? {})) === null) return null;
  return zodPlaces.some((allowed) => allowed.test(place.path))
    ? null
    : 'zod is for the places where unknown data enters: graph/document, agent, and files named shape, schema or protocol.';
}

/** Whether a file must not give a run its state: every file of core but the door, where there is one. */
export function mustNotSetState(file: string): boolean {
  const place = placeOf(file);
  if (place?.name !== 'core' || !place.isSource || place.path === stateDoor || isTest(file)) return false;
  return existsSync(`${file.slice(0, -place.path.length)}${stateDoor}`);
}
