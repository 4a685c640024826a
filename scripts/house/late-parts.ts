import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isTest } from '../lint/place.ts';

// Finds the parts of a session that are handed over as functions, because they are made later.

type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * The fields of the objects that parts of a session are made with whose type is a function without parameters that
 * returns another part, as `SaverOptions.journal: () => SessionJournal`. A part is a class below `session/`, or what a
 * `create*` function of core returns.
 */
export function lateParts(checkout: string): string[] {
  const source = join(checkout, 'packages/core/src');
  const types = new Map<string, Node>();
  const classes = new Set<string>();
  const parts = new Set<string>();
  const given: { readonly maker: string; readonly type: Node }[] = [];
  for (const path of globSync('{kit,run,session}/**/*.ts', { cwd: source }).filter((file) => !isTest(file))) {
    const isSession = path.startsWith('session');
    const { program } = parseSync(path, readFileSync(join(source, path), 'utf8'));
    every(program as unknown as Node, (node) => {
      const name = String((node['id'] as Node | null | undefined)?.['name'] ?? '');
      if (/^TS(TypeAlias|Interface)Declaration$/.test(node.type)) types.set(name, node);
      if (node.type === 'ClassDeclaration' && isSession && !/Error|Conflict$/.test(name)) {
        classes.add(name);
        parts.add(name);
      }
      if (node.type === 'FunctionDeclaration' && name.startsWith('create')) {
        for (const reference of references(node['returnType'] as Node | null)) parts.add(reference);
        if (isSession) given.push(...parametersOf(name, node));
      }
      if (node.type === 'ClassDeclaration' && isSession)
        every(node, (member) => {
          if (member.type === 'MethodDefinition' && member['kind'] === 'constructor')
            given.push(...parametersOf(name, member['value'] as Node));
        });
    });
  }
  return [...new Set(given.flatMap(({ maker, type }) => fieldsOf(type, maker, 0)))].toSorted();

  /** A name that is declared in core, unlike `Promise`, and holds functions, unlike plain data. */
  function isPart(name: string): boolean {
    if (!parts.has(name)) return false;
    if (classes.has(name)) return true;
    let holds = false;
    const declared = types.get(name);
    if (declared !== undefined)
      every(declared, ({ type }) => (holds ||= /^TS(FunctionType|MethodSignature)$/.test(type)));
    return holds;
  }

  function fieldsOf(type: Node, owner: string, depth: number): string[] {
    const found: string[] = [];
    every(type, (node) => {
      if (/^TS(PropertySignature|MethodSignature)$/.test(node.type)) {
        const name = String((node['key'] as Node | undefined)?.['name'] ?? '');
        const returned = latePart(node);
        if (returned !== null) found.push(`${owner}.${name}: () => ${returned}`);
      }
      if (node.type !== 'TSTypeReference' || depth > 3) return;
      const name = String((node['typeName'] as Node)['name'] ?? '');
      const declared = types.get(name);
      // A part among the fields is one that was made before; its own fields do not count.
      if (declared !== undefined && !parts.has(name)) found.push(...fieldsOf(declared, name, depth + 1));
    });
    return found;
  }

  /** The part that a field of type `() => Part` returns, or null. */
  function latePart(field: Node): string | null {
    const written = (field['typeAnnotation'] as Node | null | undefined)?.['typeAnnotation'] as
      Node | undefined;
    const called =
      field.type === 'TSMethodSignature' ? field : written?.type === 'TSFunctionType' ? written : null;
    if (called === null || (called['params'] as readonly Node[]).length > 0) return null;
    return references(called['returnType'] as Node | null).find((name) => isPart(name)) ?? null;
  }
}

function parametersOf(maker: string, node: Node): { maker: string; type: Node }[] {
  return (node['params'] as readonly Node[]).flatMap((param) => {
    const type = ((param['left'] ?? param['parameter'] ?? param) as Node)['typeAnnotation'] as Node | null;
    return type === null || type === undefined ? [] : [{ maker, type }];
  });
}

/** The named types in a type. */
function references(type: Node | null): string[] {
  const names: string[] = [];
  if (type !== null && type !== undefined)
    every(type, (node) => {
      if (node.type === 'TSTypeReference') names.push(String((node['typeName'] as Node)['name'] ?? ''));
    });
  return names;
}

function every(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const child of Object.values(node).flat())
    if (typeof (child as Node | null)?.type === 'string') every(child as Node, visit);
}
