import { applyCallers, closed, packages, rooms, stateKeepers, zodPlaces } from './floors.ts';
import { isTest, type Place, placeOf, resolveImport, roomOf } from './place.ts';

/** The fault of an import as a sentence; null for a valid one. */
export function importFault(file: string, specifier: string): string | null {
  const place = placeOf(file);
  if (/^@vitrine\/[^/]+\/(src|dist)(\/|$)/.test(specifier)) return throughTheDoor(specifier);
  if (specifier.startsWith('@vitrine/')) return place === null ? null : packageFault(file, place, specifier);
  if (!specifier.startsWith('.')) return null;
  const target = placeOf(resolveImport(file, specifier));
  if (target === null || !target.isSource || standsForPackage(file)) return null;
  if (place === null || target.name !== place.name || target.kind !== place.kind)
    return target.kind === 'packages' ? throughTheDoor(specifier) : null;
  return isTest(file) ? null : (indexFault(place, target) ?? roomFault(place, target));
}

/** True for a test that stands in tests/peers because of the packages there: it sees what one beside the code would see. */
function standsForPackage(file: string): boolean {
  return /\/tests\/peers\/[^/]+\.ts$/.test(file.replaceAll('\\', '/'));
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

/** The fault in the place or form of an import of zod; null for a valid one. */
export function zodFault(file: string, isNamespace: boolean): string | null {
  const place = placeOf(file);
  if (place === null || isTest(file)) return null;
  if (!isNamespace) return "Write import * as z from 'zod' or 'zod/mini': the named import ships all of zod.";
  if (place.kind !== 'packages' || place.name !== 'core') return null;
  // A file outside of all rooms is not checked.
  if (roomOf(place.path, Object.keys(rooms['core'] ?? {})) === null) return null;
  return zodPlaces.some((allowed) => allowed.test(place.path))
    ? null
    : 'zod is for the places where unknown data enters: graph/document, agent, and files named shape, schema or protocol.';
}

/** True for files of core that may not call `apply` and `fold`, which make the next state of an agent. */
export function mustNotApply(file: string): boolean {
  return isUnlisted(file, applyCallers, (path) => path === 'run/apply.ts' || path.startsWith('run/apply/'));
}

/** True for files of core that may not keep the state of an agent in a variable that they set. */
export function mustNotKeepState(file: string): boolean {
  return isUnlisted(file, stateKeepers, (path) => path.startsWith('testing/'));
}

/** True for an import of `run/apply.ts` of core, or of a handler below it. */
export function isApply(file: string, specifier: string): boolean {
  const target = specifier.startsWith('.') ? placeOf(resolveImport(file, specifier)) : null;
  return target?.name === 'core' && /^run\/apply(\.ts$|\/)/.test(target.path);
}

function isUnlisted(
  file: string,
  list: Readonly<Record<string, string>>,
  isFree: (path: string) => boolean,
): boolean {
  const place = placeOf(file);
  if (place?.kind !== 'packages' || place.name !== 'core' || !place.isSource || isTest(file)) return false;
  return !(place.path in list) && !isFree(place.path);
}
