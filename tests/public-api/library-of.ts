import type { PublicName } from './public-names.ts';

/** The parameters and results of a function; any other value unchanged. */
const partsOf = `
declare function partsOf<Given extends unknown[], Gives>(value: (...given: Given) => Gives): [Given, Gives];
declare function partsOf<Value>(value: Value): Value;`;

/**
 * A module of a library that exports all of an entry again without writing a type: every value with what it takes and
 * gives, and every type with its fields. A compiler has to name whatever these are made of.
 */
export function libraryOf(entry: string, names: ReadonlyMap<string, PublicName>): string {
  const lines = [...names].flatMap(([name, found]) => [
    ...valueLines(name, found),
    ...[...found.members].flatMap(([member, { isValue }]) =>
      isValue ? [`export const parts_${name}_${member} = partsOf(lib.${name}.${member});`] : [],
    ),
    ...(found.isType ? typeLines(name, found.typeArguments) : []),
  ]);
  return [`import * as lib from '${entry}';`, partsOf, ...lines, ''].join('\n');
}

function valueLines(name: string, { isValue, members }: PublicName): readonly string[] {
  if (!isValue) return [];
  if (members.size > 0) return [`export const members_${name} = { ...lib.${name} };`];
  return [`export const value_${name} = lib.${name};`, `export const parts_${name} = partsOf(lib.${name});`];
}

function typeLines(name: string, typeArguments: number): readonly string[] {
  const given =
    typeArguments === 0 ? '' : `<${Array.from({ length: typeArguments }, () => 'any').join(', ')}>`;
  const type = `lib.${name}${given}`;
  return [
    `export const type_${name} = (given: ${type}) => given;`,
    `export const fields_${name} = (given: (object & ${type}) | {}) => ({ ...given });`,
  ];
}

/** The types of a declaration file that it reaches by a path, as nothing that is installed elsewhere could. */
export function namelessIn(declarations: string): readonly string[] {
  const found = [
    ...declarations.matchAll(/import\("([^"]*(?:node_modules|\/internal\/)[^"]*)"[^)]*\)\.(\w+)/g),
  ];
  return [
    ...new Set(found.map(([, path = '', name = '']) => `${name} of ${path.replace(/.*node_modules\//, '')}`)),
  ];
}
