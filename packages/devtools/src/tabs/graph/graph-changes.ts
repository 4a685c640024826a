import type { GraphChange, GraphNode } from './graph-node.ts';

/**
 * Compares two graphs: new nodes and nodes with other texts. A node whose child changed is not changed
 * itself.
 */
export function graphChanges(now: GraphNode, before: GraphNode | null): ReadonlyMap<string, GraphChange> {
  const changes = new Map<string, GraphChange>();
  if (before === null) return changes;
  const old = new Map(nodesOf(before).map((node) => [node.id, node]));
  for (const node of nodesOf(now)) {
    const other = old.get(node.id);
    if (other === undefined || (other.isAbsent && !node.isAbsent)) changes.set(node.id, 'added');
    else if (saysElse(node, other)) changes.set(node.id, 'changed');
  }
  return changes;
}

function saysElse(node: GraphNode, other: GraphNode): boolean {
  if (node.title !== other.title || node.facts.join() !== other.facts.join()) return true;
  return node.children.length === 0 && node.hidden === 0 && node.value !== other.value;
}

/** A node and all its descendants. */
export function nodesOf(root: GraphNode): readonly GraphNode[] {
  return [root, ...root.children.flatMap(nodesOf)];
}

/**
 * Tells whether two graphs look the same. Only the beginning of a streaming text is shown, which soon stays
 * constant.
 */
export function sameGraph(a: GraphNode, b: GraphNode): boolean {
  return (
    a.id === b.id &&
    a.title === b.title &&
    a.facts.join() === b.facts.join() &&
    a.children.length === b.children.length &&
    a.children.every((child, index) => sameGraph(child, b.children[index] as GraphNode))
  );
}
