import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

// Follows one parameter through the calls that pass it on, in the order of the source, as a reader does.

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;
/** A function with the file that it is in. */
type Place = { readonly file: string; readonly node: Node };
type Module = {
  readonly functions: ReadonlyMap<string, Node>;
  /** Local names of imports, with the file and the name there. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly reexports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
};

/** Stays in a file, and returns to a file that the walk left before. */
export type StaticWalk = {
  readonly stays: number;
  readonly returns: number;
  readonly files: readonly string[];
};

/**
 * Walks from the first parameter of a function, or from the one that is named. A call leads on when an argument is the
 * parameter, a part of it (`run.env`), a local name of either, or an object that holds one. Each function is entered
 * once; a later call of it counts as a stay in its file.
 */
export function staticWalk(start: {
  readonly file: string;
  readonly name: string;
  readonly parameter: string;
}): StaticWalk {
  const modules = new Map<string, Module>();
  const entered = new Set<Node>();
  const left = new Set<string>();
  let stays = 0;
  let returns = 0;
  let here = '';
  const moduleAt = (file: string): Module => {
    const known = modules.get(file) ?? readModule(file);
    modules.set(file, known);
    return known;
  };
  const first = moduleAt(start.file).functions.get(start.name);
  if (first === undefined) throw new Error(`${start.file} has no function ${start.name}.`);
  enter({ file: start.file, node: first }, [
    (first['params'] as readonly Node[]).findIndex((node) => node['name'] === start.parameter),
  ]);
  return { stays, returns, files: [...left] };

  function enter({ file, node }: Place, carried: readonly number[]): void {
    if (file !== here) {
      stays++;
      if (left.has(file)) returns++;
      left.add(file);
      here = file;
    }
    if (entered.has(node)) return;
    entered.add(node);
    const names = new Set<string>();
    const params = node['params'] as readonly Node[];
    for (const index of carried) for (const name of boundNames(params[index])) names.add(name);
    follow(node['body'] as Node, file, names);
  }

  function follow(body: Node, file: string, names: Set<string>): void {
    visit(body, (node) => {
      if (node.type === 'VariableDeclarator' && carries(node['init'] as Node | null, names))
        for (const name of boundNames(node['id'] as Node)) names.add(name);
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
      const given = node['arguments'] as readonly Node[];
      const carried = given.flatMap((argument, index) => (carries(argument, names) ? [index] : []));
      const callee = node['callee'] as Node;
      if (carried.length === 0 || callee.type !== 'Identifier') return;
      const target = resolve(file, String(callee['name']));
      if (target !== null) enter(target, carried);
    });
  }

  function resolve(file: string, name: string): Place | null {
    const { functions, imports } = moduleAt(file);
    const own = functions.get(name);
    if (own !== undefined) return { file, node: own };
    const imported = imports.get(name);
    return imported === undefined ? null : exported(imported.file, imported.name, 0);
  }

  function exported(file: string, name: string, depth: number): Place | null {
    if (!existsSync(file) || depth > 5) return null;
    const { functions, reexports } = moduleAt(file);
    const own = functions.get(name);
    if (own !== undefined) return { file, node: own };
    const next = reexports.get(name);
    return next === undefined ? null : exported(next.file, next.name, depth + 1);
  }
}

/** Tells whether a value is a followed name, a part of one, or an object or a list that holds one. */
function carries(node: Node | null | undefined, names: ReadonlySet<string>): boolean {
  if (node === null || node === undefined) return false;
  if (node.type === 'Identifier') return names.has(String(node['name']));
  const inner = (key: string): boolean => carries(node[key] as Node | null, names);
  if (/^(MemberExpression)$/.test(node.type)) return inner('object');
  if (/^(TSAsExpression|TSNonNullExpression|ChainExpression)$/.test(node.type)) return inner('expression');
  if (node.type === 'SpreadElement') return inner('argument');
  if (node.type === 'Property') return inner('value');
  if (node.type === 'ObjectExpression')
    return (node['properties'] as readonly Node[]).some((property) => carries(property, names));
  if (node.type === 'ArrayExpression')
    return (node['elements'] as readonly (Node | null)[]).some((element) => carries(element, names));
  return false;
}

/** The names that a parameter or a declaration binds, also by destructuring. */
function boundNames(node: Node | null | undefined): string[] {
  if (node === null || node === undefined) return [];
  if (node.type === 'Identifier') return [String(node['name'])];
  if (node.type === 'AssignmentPattern') return boundNames(node['left'] as Node);
  if (node.type === 'RestElement') return boundNames(node['argument'] as Node);
  if (node.type === 'ObjectPattern')
    return (node['properties'] as readonly Node[]).flatMap((property) =>
      boundNames((property['value'] ?? property['argument']) as Node),
    );
  if (node.type === 'ArrayPattern')
    return (node['elements'] as readonly (Node | null)[]).flatMap((element) => boundNames(element));
  return [];
}

/** Visits a node after its children in the order of the source, so that arguments run before their call. */
function visit(node: Node, leave: (node: Node) => void): void {
  const children = Object.values(node)
    .flat()
    .filter((child): child is Node => typeof (child as Node | null)?.type === 'string')
    .toSorted((a, b) => a.start - b.start);
  for (const child of children) visit(child, leave);
  leave(node);
}

function readModule(file: string): Module {
  const { program, module } = parseSync(file, readFileSync(file, 'utf8'));
  const functions = new Map<string, Node>();
  for (const statement of program.body as unknown as readonly Node[]) {
    const declared = ((statement['declaration'] as Node | null | undefined) ?? statement) as Node;
    if (declared.type === 'FunctionDeclaration')
      functions.set(String((declared['id'] as Node)['name']), declared);
    if (declared.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declared['declarations'] as readonly { id: Node; init: Node | null }[])
      if (init?.type === 'ArrowFunctionExpression') functions.set(String(id['name']), init);
  }
  const at = (specifier: string): string => posix.join(posix.dirname(file), specifier);
  const imports = new Map<string, { readonly file: string; readonly name: string }>();
  for (const { moduleRequest, entries } of module.staticImports)
    for (const { localName, importName } of entries)
      if (moduleRequest.value.startsWith('.'))
        imports.set(localName.value, { file: at(moduleRequest.value), name: importName.name ?? '' });
  const reexports = new Map<string, { readonly file: string; readonly name: string }>();
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, importName, exportName } of entries)
      if (moduleRequest?.value.startsWith('.') === true)
        reexports.set(exportName.name ?? '', { file: at(moduleRequest.value), name: importName.name ?? '' });
  return { functions, imports, reexports };
}
