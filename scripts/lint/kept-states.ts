import type { Node } from './recursion.ts';

type Declared = { readonly function: Node | null };
type Kept = { readonly name: string; readonly node: Node };

/**
 * The variables and properties of a file that keep the state of an agent: a `let` whose name or type says so and which
 * an inner function sets, and an assignment to a property `state`.
 */
export function keptStates(program: Node): readonly Kept[] {
  const found: Kept[] = [];
  collect(program, null, new Map());
  return found;

  function collect(node: Node, within: Node | null, outer: ReadonlyMap<string, Declared>): void {
    const isFunction = /Function/.test(node.type) && isNode(node['body']);
    const inside = isFunction ? node : within;
    const scope = new Map(outer);
    for (const [name, declared] of statesDeclaredIn(node, inside)) scope.set(name, declared);
    const target = node.type === 'AssignmentExpression' ? node['left'] : null;
    if (isNode(target)) {
      const name = nameOf(target);
      const declared = name === null ? undefined : scope.get(name);
      if (declared !== undefined && declared.function !== inside) found.push({ name: name!, node });
      if (target.type === 'MemberExpression' && nameOf(target['property']) === 'state')
        found.push({ name: 'state', node });
    }
    for (const child of childrenOf(node)) collect(child, inside, scope);
  }
}

/** States that a block or a function declares with `let`, also below loops and conditions of their own. */
function statesDeclaredIn(node: Node, inside: Node | null): [string, Declared][] {
  const body = node['body'];
  const statements = Array.isArray(body) ? body.filter(isNode) : [];
  return statements.flatMap((statement): [string, Declared][] => {
    if (statement.type !== 'VariableDeclaration' || statement['kind'] !== 'let') return [];
    return (statement['declarations'] as readonly Node[]).flatMap(({ id }): [string, Declared][] => {
      const name = nameOf(id);
      return name !== null && isOfState(name, id as Node) ? [[name, { function: inside }]] : [];
    });
  });
}

function isOfState(name: string, id: Node): boolean {
  return /^(state|agentState)$/.test(name) || namesAgentState(id['typeAnnotation'], 8);
}

/** A type that is `AgentState`, or a union with it. */
function namesAgentState(type: unknown, depth: number): boolean {
  if (!isNode(type) || depth === 0) return false;
  if (type.type === 'TSTypeReference') return nameOf(type['typeName']) === 'AgentState';
  if (type.type === 'TSUnionType')
    return (type['types'] as readonly unknown[]).some((part) => namesAgentState(part, depth - 1));
  return namesAgentState(type['typeAnnotation'], depth - 1);
}

function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'parent' ? [] : (Array.isArray(value) ? value : [value]).filter(isNode),
  );
}

function nameOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
