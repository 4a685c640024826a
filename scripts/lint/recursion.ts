/** A node of a syntax tree, as ESTree names its fields. */
export type Node = Readonly<Record<string, unknown>> & { readonly type: string };
/** A function that can come back to itself, and the call that leads there. */
export type Recursion = { readonly name: string; readonly node: Node };

type Call = { readonly to: string; readonly node: Node; readonly hasDepth: boolean };

/**
 * Functions that call their callbacks before they return; others (timers, promises, events) call them on a fresh stack.
 */
const callsAtOnce =
  /^(?:map|flatMap|forEach|filter|some|every|find|findIndex|findLast|findLastIndex|reduce|reduceRight|from|fromEntries|sort|toSorted|replace|replaceAll|callSafely|assign)$/;

/**
 * The functions of a file that call themselves, directly or through other named functions of the file, without passing
 * a depth: no argument of the call names one.
 */
export function recursionsIn(program: Node): readonly Recursion[] {
  const calls = new Map<string, Call[]>();
  collect(program, []);

  function collect(node: Node, inside: readonly string[]): void {
    const name = nameOfFunction(node);
    const within = name === null ? inside : [...inside, name];
    if (name !== null && !calls.has(name)) calls.set(name, []);
    for (const call of callsOf(node)) for (const holder of within) calls.get(holder)?.push(call);
    for (const [key, child] of Object.entries(node)) {
      if (key === 'parent') continue;
      for (const inner of Array.isArray(child) ? child : [child])
        if (isNode(inner)) collect(inner, leavesStack(node, inner) ? [] : within);
    }
  }

  return [...calls].flatMap(([name, own]) => {
    const call = own.find(({ to, hasDepth }) => !hasDepth && (to === name || leadsTo(calls, to, name)));
    return call === undefined ? [] : [{ name, node: call.node }];
  });
}

function leadsTo(calls: ReadonlyMap<string, readonly Call[]>, from: string, target: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const { to, hasDepth } of calls.get(name) ?? []) {
      if (hasDepth) continue;
      if (to === target) return true;
      open.push(to);
    }
  }
  return false;
}

function nameOfFunction(node: Node): string | null {
  if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') return nameOf(node['id']);
  if (node.type !== 'VariableDeclarator' && node.type !== 'Property') return null;
  const value = node[node.type === 'Property' ? 'value' : 'init'];
  if (!isNode(value) || !/Function/.test(value.type)) return null;
  return node.type === 'Property' ? null : nameOf(node['id']);
}

/** Calls by name, JSX elements, and callbacks of functions that call them at once, as `orNull(walk)(value)` does. */
function callsOf(node: Node): readonly Call[] {
  if (node.type === 'JSXOpeningElement') {
    const to = nameOf(node['name']);
    const attributes = (node['attributes'] ?? []) as readonly unknown[];
    return to === null ? [] : [{ to, node, hasDepth: attributes.some(namesDepth) }];
  }
  if (node.type !== 'CallExpression') return [];
  const given = (node['arguments'] ?? []) as readonly Node[];
  const to = nameOf(node['callee']);
  const own = to === null ? [] : [{ to, node, hasDepth: given.some(namesDepth) }];
  const callee = node['callee'];
  const made =
    isNode(callee) && callee.type === 'CallExpression' ? (callee['arguments'] as readonly Node[]) : [];
  const called = callsAtOnce.test(nameOfCallee(node) ?? '') ? [...given, ...made] : made;
  const handed = called.flatMap((argument) => nameOf(argument) ?? []);
  return [...own, ...handed.map((name) => ({ to: name, node, hasDepth: false }))];
}

/** True for a function that is passed to something that calls it later. */
function leavesStack(node: Node, child: Node): boolean {
  if (!/^(?:ArrowFunctionExpression|FunctionExpression)$/.test(child.type)) return false;
  const isArgument =
    node.type === 'CallExpression' && (node['arguments'] as readonly unknown[]).includes(child);
  return (
    isArgument &&
    /^(?:setTimeout|setInterval|schedule|request|schedule|request|then|catch|finally|queueMicrotask|requestAnimationFrame|addEventListener|subscribe|on|once|useEffect|useCallback)$/.test(
      nameOfCallee(node) ?? '',
    )
  );
}

function nameOfCallee(node: Node): string | null {
  const callee = node['callee'];
  if (!isNode(callee)) return null;
  return callee.type === 'MemberExpression' ? nameOf(callee['property']) : nameOf(callee);
}

function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  return node.type === 'Identifier' || node.type === 'JSXIdentifier' ? String(node['name']) : null;
}

/** An argument that names a depth: `depth + 1`, `{ depth }`, `deeper(walk)`. */
function namesDepth(argument: unknown, level = 0): boolean {
  if (level > 6 || !isNode(argument)) return false;
  if (/^(?:Identifier|JSXIdentifier)$/.test(argument.type) && /depth|deeper/i.test(String(argument['name'])))
    return true;
  if (/Function|CallExpression/.test(argument.type) && nameOfCallee(argument) === null) return false;
  return Object.entries(argument).some(
    ([key, child]) =>
      key !== 'parent' &&
      (Array.isArray(child) ? child : [child]).some((inner) => namesDepth(inner, level + 1)),
  );
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
