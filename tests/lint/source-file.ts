import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isTest } from '../../scripts/lint/place.ts';

/** The facts about a source file that the checks of the house need. */
export type SourceFile = {
  /** From the root of the repository: `packages/core/src/graph/usage.ts`. */
  readonly path: string;
  readonly lines: number;
  /** Paths of the files that it imports, also by types, by `import()` and by re-export. */
  readonly imports: readonly string[];
  readonly exports: readonly string[];
  readonly functions: readonly { readonly name: string; readonly lines: number }[];
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & Record<string, unknown>;

/** All source files of the packages, without tests and their fixtures. */
export function sourceFiles(root: string): SourceFile[] {
  return read(root, globSync('{packages,bridges}/*/src/**/*.{ts,tsx}', { cwd: root })).filter(
    ({ path }) => !isTest(path),
  );
}

/** All files of the applications, benches and scripts that are no tests. */
export function otherFiles(root: string): SourceFile[] {
  const exclude = (path: string): boolean => /(^|[/\\])(node_modules|dist|public)$/.test(path);
  const paths = globSync('{apps,benches,scripts}/**/*.{ts,tsx}', { cwd: root, exclude });
  return read(
    root,
    paths.filter((path) => !/\.(test|test-d)\.tsx?$/.test(path)),
  );
}

function read(root: string, paths: readonly string[]): SourceFile[] {
  return paths.map((path) => sourceFile(path, readFileSync(posix.join(root, path), 'utf8')));
}

/** Reads one file. @throws Error when it does not parse. */
export function sourceFile(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  const specifiers: string[] = [];
  const functions: { name: string; lines: number }[] = [];
  walk(program as unknown as Node, null, (node, parent) => {
    const source = node['source'] as { readonly value?: unknown } | null | undefined;
    if (/^(Import|Export|TSImport)/.test(node.type) && typeof source?.value === 'string')
      specifiers.push(source.value);
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    functions.push({ name: nameOf(node, parent), lines: lineOf(node.end) - lineOf(node.start) + 1 });
  });
  return {
    path,
    lines: text.trimEnd().split('\n').length,
    imports: specifiers
      .filter((name) => name.startsWith('.'))
      .map((name) => posix.join(posix.dirname(path), name)),
    exports: module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ exportName }) => exportName.name ?? []),
    ),
    functions,
  };
}

function nameOf(node: Node, parent: Node | null): string {
  const named = (node['id'] ?? parent?.['id'] ?? parent?.['key']) as
    { readonly name?: string } | null | undefined;
  return named?.name ?? 'a function without a name';
}

function walk(node: Node, parent: Node | null, visit: (node: Node, parent: Node | null) => void): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof (child as Node | null)?.type === 'string') walk(child as Node, node, visit);
    }
  }
}
