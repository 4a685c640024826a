import { parseSync } from 'oxc-parser';
import type { Node } from './recursion.ts';

/** A table or switch that a new member of a union would pass without an entry, with its place. */
export type OpenTable = {
  readonly path: string;
  readonly line: number;
  readonly kind: 'default' | 'partial';
};

/**
 * The open tables of a file of an interface: a switch over a field with a `default`, which swallows new members, and a
 * `Partial<Record<…>>`, which lacks them. A switch over a variable is over texts of the outside, like keys.
 */
export function openTables(path: string, text: string): OpenTable[] {
  const found: OpenTable[] = [];
  const add = (node: Node, kind: OpenTable['kind']): void => {
    const line = text.slice(0, Number(node['start'])).split('\n').length;
    found.push({ path, line, kind });
  };
  const open: unknown[] = [parseSync(path, text).program];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    open.push(
      ...(Array.isArray(value) ? value : Object.values(value)).filter((child) => child !== undefined),
    );
    const node = value as Node;
    if (node.type === 'SwitchStatement' && hasDefault(node)) {
      if ((node['discriminant'] as Node).type === 'MemberExpression') add(node, 'default');
    }
    if (node.type === 'TSTypeReference' && nameOf(node) === 'Partial') {
      const [inner] = ((node['typeArguments'] as Node | null)?.['params'] ?? []) as readonly Node[];
      if (inner?.type === 'TSTypeReference' && nameOf(inner) === 'Record') add(node, 'partial');
    }
  }
  return found.toSorted((a, b) => a.line - b.line);
}

function hasDefault(node: Node): boolean {
  return (node['cases'] as readonly Node[]).some((one) => one['test'] === null);
}

function nameOf(reference: Node): unknown {
  return (reference['typeName'] as Node)['name'];
}
