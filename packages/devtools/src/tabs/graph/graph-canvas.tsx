import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
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
import { useLatest } from '../../kit/use-latest.ts';
import { type Texts, useTexts } from '../../texts.ts';
import { firstView, graphLayout, nodeSize, type PlacedNode } from './graph-layout.ts';
import type { GraphChange, GraphNode } from './graph-of.ts';

type GraphCanvasProps = {
  readonly root: GraphNode;
  readonly changes: ReadonlyMap<string, GraphChange>;
  readonly selected: string | null;
  readonly onSelect: (node: GraphNode) => void;
};

type Card = Node<{ readonly node: GraphNode }, 'card'>;

type ChosenCards = Pick<GraphCanvasProps, 'changes' | 'selected' | 'onSelect'> & {
  readonly isNarrow: boolean;
};

/** Context of the cards, so that changes in it do not recalculate the layout. */
const Chosen = createContext<ChosenCards>({
  changes: new Map(),
  selected: null,
  onSelect: () => undefined,
  isNarrow: false,
});

const handleSize = { width: 1, height: 1 };
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

/** Draws the graph as cards; it can be panned and zoomed. */
export const GraphCanvas: (props: GraphCanvasProps) => ReactNode = memo(function GraphCanvas(
  props: GraphCanvasProps,
): ReactNode {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
});

/** Width in pixels below which the graph runs from top to bottom. */
const narrow = 620;

function Canvas({ root, changes, selected, onSelect }: GraphCanvasProps): ReactNode {
  const texts = useTexts().graph;
  // The width is 0 until the graph is in the document.
  const isNarrow = useStore(({ width }) => width > 0 && width < narrow);
  const placed = useMemo(() => graphLayout(root, isNarrow), [root, isNarrow]);
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
          { type: 'target', position: Position.Left, x: 0, y: nodeSize.height / 2, ...handleSize },
          isNarrow
            ? { type: 'source', position: Position.Bottom, x: 10, y: nodeSize.height, ...handleSize }
            : {
                type: 'source',
                position: Position.Right,
                x: nodeSize.width,
                y: nodeSize.height / 2,
                ...handleSize,
              },
        ],
      })),
    [placed, isNarrow],
  );
  const edges = useMemo(
    () =>
      placed.flatMap(({ node, parentId }): Edge[] => {
        const parent = placed.find((one) => one.node.id === parentId)?.node;
        if (parent === undefined) return [];
        const ariaLabel = texts.edge(parent.title, node.title);
        const type = isNarrow ? 'smoothstep' : 'default';
        return [{ id: `${parent.id} ${node.id}`, source: parent.id, target: node.id, type, ariaLabel }];
      }),
    [placed, isNarrow, texts],
  );
  const isMoved = useRef(false);
  const chosen = useMemo(
    () => ({ changes, selected, onSelect, isNarrow }),
    [changes, selected, onSelect, isNarrow],
  );
  return (
    <Chosen.Provider value={chosen}>
      <ReactFlow<Card>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
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
        <Fitting placed={placed} changes={changes} isMoved={isMoved} />
      </ReactFlow>
    </Chosen.Provider>
  );
}

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

type FittingProps = Pick<GraphCanvasProps, 'changes'> & {
  readonly placed: readonly PlacedNode[];
  readonly isMoved: RefObject<boolean>;
};

/** Begins with what is read and has changed, also when the space changes, until a person pans or zooms. */
function Fitting({ placed, changes, isMoved }: FittingProps): ReactNode {
  const { setViewport } = useReactFlow();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  const latest = useLatest({ placed, changes });
  useEffect(() => {
    if (isMoved.current || width === 0) return;
    const { placed: nodes, changes: marks } = latest.current;
    void setViewport(firstView(nodes, marks, { width, height }));
  }, [width, height, setViewport, isMoved, latest]);
  return null;
}

function CardView({ data: { node } }: NodeProps<Card>): ReactNode {
  const { changes, selected, onSelect, isNarrow } = useContext(Chosen);
  const { id, kind, title, facts, isAbsent, target, hidden } = node;
  const texts = useTexts().graph;
  const change = changes.get(id);
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <button
        className="card stacked nodrag nopan"
        data-kind={kind}
        data-absent={isAbsent}
        data-change={change}
        aria-pressed={id === selected}
        disabled={target === null && hidden === 0}
        style={nodeSize}
        onClick={() => onSelect(node)}
      >
        <span className="tiny">{kind}</span>
        {change && <span className="card-change">{texts[change]}</span>}
        <span className="card-title cut">
          <strong>{title}</strong> {facts.join(' · ')}
        </span>
      </button>
      <Handle type="source" position={isNarrow ? Position.Bottom : Position.Right} isConnectable={false} />
    </>
  );
}
