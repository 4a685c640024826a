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
    return target.kind === 'apps' ? null : throughTheDoor(specifier);
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
  if (place.kind === 'apps' || allowed === undefined || !place.isSource || isTest(file)) return null;
  const [, name = ''] = specifier.split('/');
  if (allowed.includes(name)) return null;
  return `${place.kind}/${place.name} may import ${allowed.join(', ') || 'no other package'}, not ${specifier}.`;
}

function indexFault(place: Place, target: Place): string | null {
  const isEntry = /^index\.tsx?$/.test(target.path);
  if (!isEntry || place.kind === 'apps' || /(^|\/)index\.tsx?$/.test(place.path)) return null;
  return `${target.path} is an entry for other packages: import the file that has the name.`;
}

function roomFault(place: Place, target: Place): string | null {
  const table = place.kind === 'apps' ? undefined : rooms[place.name];
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

const withoutZod: ReadonlySet<string> = new Set(['core', 'persist', 'inspect']);
const onServers: ReadonlySet<string> = new Set(['proxy', 'server', 'cli', 'create-vitrine']);

/** The fault in the place or form of an import of values of zod; null for a valid one. */
export function zodFault(file: string, source: string, isNamespace: boolean): string | null {
  const place = placeOf(file);
  if (place === null || isTest(file)) return null;
  if (source === 'zod' && place.kind !== 'apps' && !onServers.has(place.name))
    return "Write import * as z from 'zod/mini': an object of 'zod' evaluates text, which a strict page reports.";
  if (!isNamespace) return "Write import * as z from 'zod' or 'zod/mini': the named import ships all of zod.";
  if (!withoutZod.has(place.name)) return null;
  return zodPlaces.some((allowed) => allowed.test(`${place.name}/${place.path}`))
    ? null
    : 'zod is for schemas of applications. Our own data has checks: kit/check.ts, and the tables of graph/shapes.ts.';
}

/** True for files that may not call `apply` and `fold`, which make the next state of an agent. */
export function mustNotApply(file: string): boolean {
  return isUnlisted(
    file,
    applyCallers,
    (path) => path === 'core/run/apply.ts' || path.startsWith('core/run/apply/'),
  );
}

/** True for files that may not keep the state of an agent in a variable that they set. */
export function mustNotKeepState(file: string): boolean {
  return isUnlisted(
    file,
    stateKeepers,
    (path) => path.startsWith('testing/') || path.startsWith('inspect/foreign/'),
  );
}

/** True for an import of `run/apply.ts` of core, or of a handler below it. */
export function isApply(file: string, specifier: string): boolean {
  if (/^@vitrine\/core\/internal\/run\/apply(\/|$)/.test(specifier)) return true;
  const target = specifier.startsWith('.') ? placeOf(resolveImport(file, specifier)) : null;
  return target?.name === 'core' && /^run\/apply(\.ts$|\/)/.test(target.path);
}

/** The packages whose code reads journals of this library. */
const overJournals: ReadonlySet<string> = new Set([
  'core',
  'persist',
  'inspect',
  'testing',
  'messages',
  'ag-ui',
]);

function isUnlisted(
  file: string,
  list: Readonly<Record<string, string>>,
  isFree: (path: string) => boolean,
): boolean {
  const place = placeOf(file);
  if (place === null || !overJournals.has(place.name) || !place.isSource || isTest(file)) return false;
  const path = `${place.name}/${place.path}`;
  return !(path in list) && !isFree(path);
}
