import { type Node, resolveModule, type SourceModule, sourceModule } from './source-module.ts';

/** The definition of a public name. */
export type PublicName = {
  readonly isType: boolean;
  readonly isValue: boolean;
  readonly isDocumented: boolean;
  /** The number of required type arguments of a generic type. */
  readonly typeArguments: number;
  /** The names of a namespace, or of an object that stands for one. */
  readonly members: ReadonlyMap<string, PublicName>;
};

type Names = Map<string, PublicName>;

const none: ReadonlyMap<string, PublicName> = new Map();
const foreign: PublicName = {
  isType: true,
  isValue: true,
  isDocumented: true,
  typeArguments: 0,
  members: none,
};

/** All names that a module exports, through whatever files they come. Other packages' names are not repeated. */
export function publicNames(file: string): Names {
  const source = sourceModule(file);
  const names: Names = new Map();
  for (const statement of source.exports) {
    for (const entry of statement.entries) {
      const from = entry.moduleRequest?.value ?? null;
      const name = entry.exportName.name ?? 'default';
      if (entry.importName.kind === 'AllButDefault') {
        if (from?.startsWith('.')) for (const [other, found] of namesOf(file, from)) add(names, other, found);
        continue;
      }
      const found =
        from === null
          ? localName(source, entry.localName.name ?? name)
          : entry.importName.kind === 'All'
            ? namespace(namesOf(file, from), source.isDocumented(statement.start))
            : (namesOf(file, from).get(entry.importName.name ?? name) ?? foreign);
      add(names, name, entry.isType && from !== null ? { ...found, isValue: false, members: none } : found);
    }
  }
  return names;
}

/** One line for each name, members behind their namespace: `AgentState.create`. */
export function flatten(names: ReadonlyMap<string, PublicName>, prefix = ''): [string, PublicName][] {
  return [...names]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, found]) => [[prefix + name, found], ...flatten(found.members, `${prefix}${name}.`)]);
}

function add(names: Names, name: string, found: PublicName): void {
  const other = names.get(name);
  names.set(name, other === undefined ? found : merged(other, found));
}

function merged(one: PublicName, other: PublicName): PublicName {
  return {
    isType: one.isType || other.isType,
    isValue: one.isValue || other.isValue,
    isDocumented: one.isDocumented || other.isDocumented,
    typeArguments: Math.max(one.typeArguments, other.typeArguments),
    members: new Map([...one.members, ...other.members]),
  };
}

function namesOf(file: string, specifier: string): Names {
  const target = resolveModule(file, specifier);
  return target === null ? new Map() : publicNames(target);
}

function namespace(members: Names, isDocumented: boolean): PublicName {
  return { ...foreign, isType: false, isDocumented, members };
}

/** A name that a module declares, or has imported to hand it on. */
function localName(source: SourceModule, name: string): PublicName {
  const declared =
    source.declarations.get(name)?.map(({ node, start }) => declaredName(source, node, start)) ?? [];
  return [...declared, ...importedName(source, name)].reduce(merged, {
    ...foreign,
    isType: false,
    isValue: false,
    isDocumented: false,
  });
}

function importedName(source: SourceModule, name: string): PublicName[] {
  return source.imports.flatMap(({ moduleRequest, entries }) =>
    entries
      .filter(({ localName: local }) => local.value === name)
      .map(({ importName }) => {
        const names = namesOf(source.file, moduleRequest.value);
        if (importName.kind === 'NamespaceObject') return namespace(names, false);
        return names.get(importName.name ?? 'default') ?? foreign;
      }),
  );
}

function declaredName(source: SourceModule, node: Node, start: number): PublicName {
  const isDocumented = source.isDocumented(start);
  if (/^TS(TypeAlias|Interface)/.test(node.type)) {
    return {
      ...foreign,
      isValue: false,
      isDocumented: isDocumented || isAliasOfDocumented(source, node),
      typeArguments: requiredTypes(node),
    };
  }
  const name = (node['id'] as { readonly name: string }).name;
  const literal = unwrapped(node['init'] as Node | null | undefined);
  const isFace = literal?.type === 'ObjectExpression' && /^[A-Z]/.test(name);
  const members = isFace ? membersOf(source, literal) : none;
  return { ...foreign, isType: node.type === 'ClassDeclaration', isDocumented, members };
}

function requiredTypes(node: Node): number {
  const { params = [] } = (node['typeParameters'] ?? {}) as { readonly params?: readonly Node[] };
  return params.filter((parameter) => !parameter['default']).length;
}

/** `export type Usage = UsageType`: the sentence may stand where the type is written. */
function isAliasOfDocumented(source: SourceModule, node: Node): boolean {
  const target = (node['typeAnnotation'] as Node | undefined)?.['typeName'] as
    { readonly name?: string } | undefined;
  return target?.name !== undefined && importedName(source, target.name).some((found) => found.isDocumented);
}

/** The properties of an object that stands for a namespace: its own, those it takes over, and those it spreads. */
function membersOf(source: SourceModule, literal: Node): Names {
  const names: Names = new Map();
  for (const property of literal['properties'] as readonly Node[]) {
    const value = (property['value'] ?? property['argument']) as Node;
    const referred = value.type === 'Identifier' ? localName(source, value['name'] as string) : null;
    if (property.type === 'SpreadElement') {
      for (const [name, found] of referred?.members ?? none) add(names, name, found);
      continue;
    }
    const name = (property['key'] as { readonly name?: string }).name ?? 'a computed name';
    const isDocumented = source.isDocumented(property.start) || (referred?.isDocumented ?? false);
    add(names, name, { ...foreign, isType: false, isDocumented });
  }
  return names;
}

function unwrapped(node: Node | null | undefined): Node | null {
  if (!node) return null;
  if (node.type.startsWith('TS')) return unwrapped(node['expression'] as Node);
  const isFrozen = node.type === 'CallExpression' && (node['callee'] as Node)['type'] === 'MemberExpression';
  return isFrozen ? unwrapped((node['arguments'] as readonly Node[])[0]) : node;
}
