import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Comment, parseSync, type StaticExport, type StaticImport } from 'oxc-parser';
import { folderOf } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';

export type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

/** A parsed module of the packages, with what is declared at its top. */
export type SourceModule = {
  readonly file: string;
  readonly exports: readonly StaticExport[];
  readonly imports: readonly StaticImport[];
  /** The declarations of a name; a type and a value may share one. `start` is where the statement begins. */
  readonly declarations: ReadonlyMap<string, readonly { readonly node: Node; readonly start: number }[]>;
  readonly isDocumented: (start: number) => boolean;
};

const read = new Map<string, SourceModule>();

/** Reads a module once. @throws Error when it does not parse. */
export function sourceModule(file: string): SourceModule {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const { program, module, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`);
  const made: SourceModule = {
    file,
    exports: module.staticExports,
    imports: module.staticImports,
    declarations: declarationsOf(program.body as unknown as readonly Node[]),
    isDocumented: (start) => isDocumented(text, comments, start),
  };
  read.set(file, made);
  return made;
}

/** The file that a specifier means: a neighbour, or the source of a package's entry; null for what is not ours. */
export function resolveModule(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const [, name, path = ''] = /^@vitrine\/([\w-]+)(\/.+)?$/.exec(specifier) ?? [];
  if (name === undefined) return null;
  if (`.${path}`.startsWith(internal)) return internalModule(name, path.slice(internal.length - 1));
  return entriesOf(name)[`.${path}`] ?? null;
}

/** The beginning of the entries by which packages of this repository import modules of each other. */
const internal = './internal/';

function internalModule(name: string, path: string): string | null {
  const file = posix.join(root, folderOf(name), 'src', path);
  return [`${file}.ts`, `${file}.tsx`].find((candidate) => existsSync(candidate)) ?? null;
}

/** The public entries of a package with the files that they stand for. */
export function entriesOf(name: string): Record<string, string> {
  const folder = folderOf(name);
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  const sources = Object.entries(manifest.exports).flatMap(([path, conditions]) => {
    const source = typeof conditions === 'string' ? undefined : conditions['@vitrine/source'];
    return source === undefined || path.startsWith(internal)
      ? []
      : [[path, posix.join(root, folder, source)] as const];
  });
  const missing = sources.find(([, file]) => !existsSync(file));
  if (missing)
    throw new Error(`@vitrine/${name} has the entry ${missing[0]}, but ${missing[1]} is not there.`);
  return Object.fromEntries(sources);
}

function declarationsOf(body: readonly Node[]): Map<string, { node: Node; start: number }[]> {
  const found = new Map<string, { node: Node; start: number }[]>();
  for (const statement of body) {
    const declaration = (statement['declaration'] as Node | null | undefined) ?? statement;
    const nodes = (declaration['declarations'] as readonly Node[] | undefined) ?? [declaration];
    for (const node of nodes) {
      const name = (node['id'] as { readonly name?: string } | null | undefined)?.name;
      if (name !== undefined) found.set(name, [...(found.get(name) ?? []), { node, start: statement.start }]);
    }
  }
  return found;
}

/** True when a doc comment of more than one word precedes, with only linter comments in between. */
function isDocumented(text: string, comments: readonly Comment[], start: number): boolean {
  return comments.some(
    ({ type, value, end }) =>
      type === 'Block' &&
      value.startsWith('*') &&
      /\w\W+\w/.test(value) &&
      end <= start &&
      /^(\s|\/\/[^\n]*\n)*$/.test(text.slice(end, start)),
  );
}
