import { hierarchy, type HierarchyNode, tree } from 'd3-hierarchy';
import type { GraphChange, GraphNode } from './graph-of.ts';

/** The size of every node in pixels. */
export const nodeSize = { width: 176, height: 42 } as const;
const between = { x: 44, y: 10 } as const;
const indent = 20;

export const mostNodes = 300;

/** A node with the position of its upper left corner, and its parent. */
export type PlacedNode = {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly parentId: string | null;
};

/**
 * Lays out a graph from left to right; one for a narrow panel from top to bottom, each node on a line of its
 * own. Nodes beyond the limit are dropped, the deepest first.
 */
export function graphLayout(root: GraphNode, isNarrow: boolean = false): readonly PlacedNode[] {
  const nodes = hierarchy(root, ({ children }) => children);
  if (isNarrow) return outline(nodes);
  const place = tree<GraphNode>()
    .nodeSize([nodeSize.height + between.y, nodeSize.width + between.x])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25));
  return place(nodes)
    .descendants()
    .slice(0, mostNodes)
    .map(({ data, x, y, parent }) => ({ node: data, x: y, y: x, parentId: parent?.data.id ?? null }));
}

function outline(root: HierarchyNode<GraphNode>): readonly PlacedNode[] {
  const kept = new Set(root.descendants().slice(0, mostNodes));
  const placed: PlacedNode[] = [];
  root.eachBefore((one) => {
    if (!kept.has(one)) return;
    placed.push({
      node: one.data,
      x: one.depth * indent,
      y: placed.length * (nodeSize.height + between.y),
      parentId: one.parent?.data.id ?? null,
    });
  });
  return placed;
}

type Room = { readonly width: number; readonly height: number };
type View = { readonly x: number; readonly y: number; readonly zoom: number };

const margin = 12;
/** The smallest zoom at which the text of a node is read. */
const readable = 0.8;

/**
 * The view with which a graph begins: all of it where that can be read, otherwise what has changed, in its full size.
 */
export function firstView(
  placed: readonly PlacedNode[],
  changes: ReadonlyMap<string, GraphChange>,
  room: Room,
): View {
  const whole = boundsOf(placed);
  const fitting = Math.min(
    1,
    (room.width - 2 * margin) / whole.width,
    (room.height - 2 * margin) / whole.height,
  );
  if (fitting >= readable) return viewOf(whole, whole, room, fitting);
  const [added, changed] = (['added', 'changed'] as const).map((wanted) =>
    placed.filter(({ node, parentId }) => parentId !== null && changes.get(node.id) === wanted),
  );
  const around = [added, changed, placed.slice(0, 1)].find((some) => some !== undefined && some.length > 0);
  return viewOf(boundsOf(around ?? placed), whole, room, 1);
}

type Bounds = Room & { readonly x: number; readonly y: number };

function boundsOf(placed: readonly PlacedNode[]): Bounds {
  const [x, y] = [Math.min(...placed.map((one) => one.x)), Math.min(...placed.map((one) => one.y))];
  const right = Math.max(...placed.map((one) => one.x)) + nodeSize.width;
  const bottom = Math.max(...placed.map((one) => one.y)) + nodeSize.height;
  return { x, y, width: right - x, height: bottom - y };
}

function viewOf(part: Bounds, whole: Bounds, room: Room, zoom: number): View {
  const along = (axis: 'x' | 'y', size: 'width' | 'height'): number => {
    const space = room[size] / zoom;
    // A part that is too long is shown from its beginning.
    const wanted = part[axis] - Math.max(margin, (space - part[size]) / 2);
    const last = whole[axis] + whole[size] + margin - space;
    const first = whole[axis] - margin;
    // Nothing is left empty while there is more to show.
    const start =
      last < first ? whole[axis] - (space - whole[size]) / 2 : Math.min(last, Math.max(first, wanted));
    return -start * zoom;
  };
  return { x: along('x', 'width'), y: along('y', 'height'), zoom };
}
