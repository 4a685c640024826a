import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowProps,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import { hierarchy, tree } from 'd3-hierarchy';
import {
  createContext,
  memo,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import { type Texts, useTexts } from '../../texts.ts';
import type { GraphChange, GraphNode } from './graph-of.ts';

type GraphCanvasProps = {
  readonly root: GraphNode;
  readonly changes: ReadonlyMap<string, GraphChange>;
  readonly selected: string | null;
  readonly onSelect: (node: GraphNode) => void;
};

type CardData = { readonly node: GraphNode };
type Card = Node<CardData, 'card'>;

/** Context of the cards, so that changes in it do not recalculate the layout. */
const Chosen = createContext<Pick<GraphCanvasProps, 'changes' | 'selected' | 'onSelect'>>({
  changes: new Map(),
  selected: null,
  onSelect: () => undefined,
});

const nodeTypes = { card: CardView };
// A static graph: nothing can be moved, connected or deleted, and no keys are captured.
const still = {
  nodesDraggable: false,
  nodesConnectable: false,
  nodesFocusable: false,
  edgesFocusable: false,
  elementsSelectable: false,
  deleteKeyCode: null,
  selectionKeyCode: null,
  multiSelectionKeyCode: null,
  panActivationKeyCode: null,
  zoomActivationKeyCode: null,
  disableKeyboardA11y: true,
} as const;

/** Draws the graph as cards from left to right; it can be panned and zoomed. */
export const GraphCanvas: (props: GraphCanvasProps) => ReactNode = memo(function GraphCanvas({
  root,
  changes,
  selected,
  onSelect,
}: GraphCanvasProps): ReactNode {
  const texts = useTexts().graph;
  const placed = useMemo(() => graphLayout(root), [root]);
  const nodes = useMemo(
    () =>
      placed.map(({ node, x, y }): Card => ({
        id: node.id,
        type: 'card',
        position: { x, y },
        data: { node },
        ...nodeSize,
        // Given, so that nodes out of view need not be drawn for measuring.
        measured: nodeSize,
        handles: [
          { type: 'target', position: Position.Left, x: 0, y: nodeSize.height / 2, width: 1, height: 1 },
          {
            type: 'source',
            position: Position.Right,
            x: nodeSize.width,
            y: nodeSize.height / 2,
            width: 1,
            height: 1,
          },
        ],
      })),
    [placed],
  );
  const edges = useMemo(
    () =>
      placed.flatMap(({ node, parentId }): Edge[] => {
        const parent = placed.find((one) => one.node.id === parentId)?.node;
        if (parent === undefined) return [];
        const ariaLabel = texts.edge(parent.title, node.title);
        return [{ id: `${parent.id} ${node.id}`, source: parent.id, target: node.id, ariaLabel }];
      }),
    [placed, texts],
  );
  const isMoved = useRef(false);
  const chosen = useMemo(() => ({ changes, selected, onSelect }), [changes, selected, onSelect]);
  return (
    <Chosen.Provider value={chosen}>
      <ReactFlow<Card>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={fit}
        onMoveStart={(event) => {
          // Without an event, the move was not made by a person.
          if (event) isMoved.current = true;
        }}
        minZoom={0.1}
        maxZoom={1.5}
        onlyRenderVisibleElements
        aria-label={texts.label}
        ariaLabelConfig={useMemo(() => labelsIn(texts), [texts])}
        {...still}
      >
        <Controls showInteractive={false} fitViewOptions={fit} />
        <Fitting isMoved={isMoved} />
      </ReactFlow>
    </Chosen.Provider>
  );
});

/** The labels of the drawing library. Its descriptions do not apply to a graph in which nothing can be selected. */
function labelsIn(texts: Texts['graph']): NonNullable<ReactFlowProps['ariaLabelConfig']> {
  return {
    'node.a11yDescription.default': '',
    'edge.a11yDescription.default': '',
    'controls.ariaLabel': texts.controls,
    'controls.zoomIn.ariaLabel': texts.zoomIn,
    'controls.zoomOut.ariaLabel': texts.zoomOut,
    'controls.fitView.ariaLabel': texts.fitView,
  };
}

const fit = { maxZoom: 1, minZoom: 0.35, padding: 0.04 } as const;

/** Fits the graph into view when its space changes, until a person pans or zooms. */
function Fitting({ isMoved }: { readonly isMoved: RefObject<boolean> }): ReactNode {
  const { fitView } = useReactFlow();
  const room = useStore(({ width, height }) => `${width} ${height}`);
  useEffect(() => {
    if (!isMoved.current) void fitView(fit);
  }, [room, fitView, isMoved]);
  return null;
}

function CardView({ data: { node } }: NodeProps<Card>): ReactNode {
  const { changes, selected, onSelect } = useContext(Chosen);
  const { id, kind, title, facts, isAbsent, target, hidden } = node;
  const texts = useTexts().graph;
  const change = changes.get(id);
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        className="card nodrag nopan"
        data-kind={kind}
        data-absent={isAbsent}
        data-change={change}
        aria-pressed={id === selected}
        disabled={target === null && hidden === 0}
        style={nodeSize}
        onClick={() => onSelect(node)}
      >
        <span className="card-kind">{kind}</span>
        {change && <span className="card-change">{texts[change]}</span>}
        <span className="card-title">
          <strong>{title}</strong> {facts.join(' · ')}
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

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
