import { describe, expect, it } from 'vitest';
import type { GraphChange, GraphNode } from './graph-of.ts';
import { firstView, graphLayout, nodeSize } from './graph-layout.ts';

const node = (id: string, children: readonly GraphNode[] = []): GraphNode => ({
  id,
  kind: 'AgentStep',
  title: id,
  facts: [],
  value: null,
  isAbsent: false,
  target: null,
  children,
  hidden: 0,
});
const leaves = (count: number): GraphNode[] =>
  Array.from({ length: count }, (_, index) => node(`leaf ${index}`));
const wide = node('root', [node('a', leaves(40)), node('b')]);

/** The part of the graph that a view shows. */
function seen(
  view: { readonly x: number; readonly y: number; readonly zoom: number },
  room: { readonly width: number; readonly height: number },
): { x: number; y: number; right: number; bottom: number } {
  const [x, y] = [-view.x / view.zoom, -view.y / view.zoom];
  return { x, y, right: x + room.width / view.zoom, bottom: y + room.height / view.zoom };
}

describe('the layout of a graph', () => {
  it('a graph in a narrow panel has a line for each node and is no wider than its depth', () => {
    const placed = graphLayout(wide, true);
    expect(placed).toHaveLength(43);
    expect(new Set(placed.map(({ y }) => y)).size).toBe(43);
    expect(Math.max(...placed.map(({ x }) => x))).toBe(40);
    expect(placed.slice(0, 3).map((one) => one.node.id)).toEqual(['root', 'a', 'leaf 0']);
  });

  it('a small graph is shown as a whole', () => {
    const room = { width: 900, height: 400 };
    const view = firstView(graphLayout(node('root', leaves(3))), new Map(), room);
    expect(view.zoom).toBe(1);
    const { x, y, right, bottom } = seen(view, room);
    for (const one of graphLayout(node('root', leaves(3)))) {
      expect(one.x).toBeGreaterThanOrEqual(x);
      expect(one.x + nodeSize.width).toBeLessThanOrEqual(right);
      expect(one.y).toBeGreaterThanOrEqual(y);
      expect(one.y + nodeSize.height).toBeLessThanOrEqual(bottom);
    }
  });

  it.each([true, false])(
    'a graph that does not fit begins in full size at what was added (narrow: %s)',
    (isNarrow) => {
      const room = { width: 440, height: 300 };
      const placed = graphLayout(wide, isNarrow);
      const changes = new Map<string, GraphChange>([
        ['root', 'changed'],
        ['leaf 33', 'added'],
      ]);
      const view = firstView(placed, changes, room);
      expect(view.zoom).toBe(1);
      const target = placed.find((one) => one.node.id === 'leaf 33')!;
      const { x, y, right, bottom } = seen(view, room);
      expect(target.x).toBeGreaterThanOrEqual(x);
      expect(target.x + nodeSize.width).toBeLessThanOrEqual(right);
      expect(target.y).toBeGreaterThanOrEqual(y);
      expect(target.y + nodeSize.height).toBeLessThanOrEqual(bottom);
    },
  );
});
