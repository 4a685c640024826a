import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
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
import type { GraphChange, GraphNode } from './graph-node.ts';
import { graphLayout, nodeSize } from './graph-layout.ts';

type GraphCanvasProps = {
  readonly root: GraphNode;
  readonly changes: ReadonlyMap<string, GraphChange>;
  readonly selected: string | null;
  readonly onSelect: (node: GraphNode) => void;
};

type CardData = { readonly node: GraphNode };
type Card = Node<CardData, 'card'>;

/** What cards need that must not lay the graph out anew. */
const Chosen = createContext<Pick<GraphCanvasProps, 'changes' | 'selected' | 'onSelect'>>({
  changes: new Map(),
  selected: null,
  onSelect: () => undefined,
});

const nodeTypes = { card: CardView };
// It is a picture: nothing is moved, connected or deleted, and no key is caught.
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

/** Draws the graph: cards from left to right, to be moved and zoomed. */
export const GraphCanvas: (props: GraphCanvasProps) => ReactNode = memo(function GraphCanvas({
  root,
  changes,
  selected,
  onSelect,
}: GraphCanvasProps): ReactNode {
  const placed = useMemo(() => graphLayout(root), [root]);
  const nodes = useMemo(
    () =>
      placed.map(({ node, x, y }): Card => ({
        id: node.id,
        type: 'card',
        position: { x, y },
        data: { node },
        ...nodeSize,
        // Told, so that what is out of view need not be drawn to be measured.
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
      placed.flatMap(({ node, parentId }): Edge[] =>
        parentId === null ? [] : [{ id: `${parentId} ${node.id}`, source: parentId, target: node.id }],
      ),
    [placed],
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
          // Without an event nobody has moved it.
          if (event) isMoved.current = true;
        }}
        minZoom={0.1}
        maxZoom={1.5}
        onlyRenderVisibleElements
        aria-label="Object graph"
        {...still}
      >
        <Controls showInteractive={false} fitViewOptions={fit} />
        <Fitting isMoved={isMoved} />
      </ReactFlow>
    </Chosen.Provider>
  );
});

const fit = { maxZoom: 1, minZoom: 0.35, padding: 0.04 } as const;

/** Shows all of it again when the room for it changes, as long as nobody has moved it. */
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
        {change && <span className="card-change">{change === 'added' ? 'new' : 'changed'}</span>}
        <span className="card-title">
          <strong>{title}</strong> {facts.join(' · ')}
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}
