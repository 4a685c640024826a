import { hierarchy, tree } from 'd3-hierarchy';
import type { GraphNode } from './graph-node.ts';

/** The size of every node in pixels. */
export const nodeSize = { width: 176, height: 42 } as const;
const between = { x: 44, y: 10 } as const;

/** Maximum number of nodes in the graph. */
export const mostNodes = 300;

/** A node with the position of its upper left corner, and its parent. */
export type PlacedNode = {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly parentId: string | null;
};

/** Lays out a graph from left to right; nodes beyond the limit are dropped, the deepest first. */
export function graphLayout(root: GraphNode): readonly PlacedNode[] {
  const place = tree<GraphNode>()
    .nodeSize([nodeSize.height + between.y, nodeSize.width + between.x])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25));
  const placed = place(hierarchy(root, ({ children }) => children));
  return placed
    .descendants()
    .slice(0, mostNodes)
    .map(({ data, x, y, parent }) => ({ node: data, x: y, y: x, parentId: parent?.data.id ?? null }));
}
