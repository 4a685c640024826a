import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isMissing, isMissingGlobal } from './browser-floor.ts';
import type { Node } from '../../scripts/lint/recursion.ts';

const compiler = `@typescript/typescript-${process.platform}-${process.arch}/package.json`;
const typescript = createRequire(import.meta.resolve('typescript/package.json')).resolve(compiler);

/** Reads files of TypeScript's library, and those that they name, by name. */
function readLibrary(names: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (texts.has(name)) continue;
    const text = readFileSync(join(dirname(typescript), `lib/lib.${name}.d.ts`), 'utf8');
    texts.set(name, text);
    for (const [, next = ''] of text.matchAll(/^\/\/\/ <reference lib="([a-z0-9.]+)" \/>/gm)) open.push(next);
  }
  return texts;
}

/**
 * Writes TypeScript's library without all that the oldest browsers do not have, so that the compiler refuses its use by
 * type: an array's `with`, not that of another object. Returns the paths.
 */
export function writeFloorLibrary(folder: string, names: readonly string[]): readonly string[] {
  const library = [...readLibrary(names)].map(([name, text]) => ({ name, text, nodes: declared(text) }));
  const heirs = heirsIn(library.flatMap(({ nodes }) => nodes));
  return library.map(({ name, text, nodes }) => {
    const path = join(folder, `${name}.d.ts`);
    writeFileSync(path, withoutMissing(text, nodes, heirs));
    return path;
  });
}

function withoutMissing(text: string, nodes: readonly Node[], heirs: Heirs): string {
  const cut = nodes.flatMap((node) => missingIn(node, heirs));
  cut.sort((one, other) => Number(other['start']) - Number(one['start']));
  return cut.reduce((left, { start, end }) => left.slice(0, Number(start)) + left.slice(Number(end)), text);
}

/** The parts of a declaration that the floor does not have: itself, or some of its members. */
function missingIn(node: Node, heirs: Heirs): readonly Node[] {
  const name = nameOf(node);
  if (node.type !== 'TSInterfaceDeclaration' && isMissingGlobal(name)) return [node];
  const isStatic = node.type !== 'TSInterfaceDeclaration' || name.endsWith('Constructor');
  const owner = name.replace(/^Readonly(?=Array|Set|Map)|Constructor$/g, '');
  const owners = [owner, ...(heirs.get(name) ?? [])];
  return membersOf(node).filter(({ key }) => isMissing(owners, textOf(key), isStatic));
}

type Heirs = ReadonlyMap<string, readonly string[]>;

/** The interfaces that extend a mixin: compatibility data has the members of mixins at those. */
function heirsIn(nodes: readonly Node[]): Heirs {
  const heirs = new Map<string, string[]>();
  for (const node of nodes)
    for (const base of (node['extends'] ?? []) as readonly Node[]) {
      const name = textOf(base['expression']);
      heirs.set(name, [...(heirs.get(name) ?? []), nameOf(node)]);
    }
  return heirs;
}

/** The declarations of a file, those in its namespaces too. */
function declared(text: string): readonly Node[] {
  const found: Node[] = [];
  const open = [parseSync('lib.d.ts', text).program as unknown as Node];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { body, declaration } = node as { body?: Node | readonly Node[]; declaration?: Node };
    if (node.type === 'ExportNamedDeclaration' && declaration) open.push(declaration);
    else if (node.type === 'TSModuleDeclaration' && body) open.push(body as Node);
    else if (Array.isArray(body)) open.push(...(body as readonly Node[]));
    else found.push(node);
  }
  return found;
}

function nameOf(node: Node): string {
  const [first] = (node['declarations'] ?? []) as readonly Node[];
  return textOf((first ?? node)['id']);
}

function membersOf(node: Node): readonly Node[] {
  if (node.type === 'TSInterfaceDeclaration') return (node['body'] as { body: readonly Node[] }).body;
  const [first] = (node['declarations'] ?? []) as readonly {
    id: { typeAnnotation?: { typeAnnotation: Node } };
  }[];
  return (first?.id.typeAnnotation?.typeAnnotation['members'] ?? []) as readonly Node[];
}

function textOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { readonly name?: string; readonly value?: string };
  return name ?? String(value ?? '');
}
