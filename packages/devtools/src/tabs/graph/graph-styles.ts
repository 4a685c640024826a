import { css } from '../../kit/css.ts';

/** The styles of the graph, its cards and the inspector beside it. */
export const graphStyles: string = css`
  container: graph / inline-size;

  .graph-side {
    flex: 1 1 55%;
    min-height: 0;
    min-width: 0;
  }
  .graph-legend {
    padding: 2px 10px;
  }
  .graph {
    min-height: 0;
    background: var(--sunken);
  }
  .graph-side .state-tree {
    flex: 1 0 340px;
  }
  .graph-split > .inspector {
    flex: 1 1 45%;
    border-top: 1px solid var(--border);
  }
  @container (min-width: 760px) {
    .graph-split {
      flex-direction: row;
    }
    .graph-split > .inspector {
      border-top: 0;
      border-inline-start: 1px solid var(--border);
    }
  }
  /* The card has led there; the button leads back. */
  @container (max-width: 430px) {
    .graph-split:has(> .inspector) > .graph-side {
      display: none;
    }
  }
  .card {
    position: relative;
    /* The graph captures no pointer events of nodes that cannot be moved. */
    pointer-events: all;
    padding: 3px 8px;
    overflow: hidden;
    border-inline-start: 3px solid var(--muted);
    color: var(--text);
    text-align: start;
    line-height: 1.35;

    &:disabled {
      cursor: default;
    }
    &:hover:enabled,
    &[aria-pressed='true'] {
      background: var(--select);
    }
    &[aria-pressed='true'] {
      border-color: var(--accent);
    }
    &[data-absent='true'] {
      border-style: dashed;
      color: var(--muted);
    }
    &:is([data-kind='AgentState'], [data-kind='ExecutionState']) {
      border-inline-start-color: var(--accent);
    }
    &:is([data-kind='ToolExecution'], [data-kind='AgentStep'], [data-kind='StepExecution']) {
      border-inline-start-color: var(--bar-tool);
    }
    &[data-kind='StopSignal'] {
      border-inline-start-color: var(--warn);
    }
  }
  .card-title {
    white-space: nowrap;
    font-size: 11px;
  }
  .card-change {
    position: absolute;
    top: 3px;
    right: 6px;
    padding: 0 5px;
    border-radius: 999px;
    background: var(--changed);
    font-size: 10px;
  }
  .card[data-change='added'] .card-change {
    background: var(--accent);
    color: var(--on-accent);
  }
`;

/** The rules of @xyflow/react's `base.css` that a static graph needs, placed in the shadow root like all styles. */
export const flowStyles: string = css`
  .react-flow {
    direction: ltr;
    position: relative;
    overflow: hidden;
    z-index: 0;
  }
  .react-flow__container {
    position: absolute;
    width: 100%;
    height: 100%;
    top: 0;
    left: 0;
  }
  .react-flow__pane {
    z-index: 1;
    touch-action: none;
    cursor: grab;

    &.dragging {
      cursor: grabbing;
    }
  }
  .react-flow__viewport {
    transform-origin: 0 0;
    z-index: 2;
    pointer-events: none;
  }
  .react-flow__renderer {
    z-index: 4;
  }
  .react-flow__edges {
    position: absolute;

    svg {
      overflow: visible;
      position: absolute;
      pointer-events: none;
    }
  }
  .react-flow__edge {
    pointer-events: none;
  }
  .react-flow__edge-path {
    stroke: var(--border);
    stroke-width: 1.5;
    fill: none;
  }
  .react-flow__nodes {
    pointer-events: none;
    transform-origin: 0 0;
  }
  .react-flow__node {
    position: absolute;
    user-select: none;
    pointer-events: all;
    transform-origin: 0 0;
    box-sizing: border-box;
  }
  .react-flow__handle {
    position: absolute;
    pointer-events: none;
    width: 1px;
    height: 1px;
    visibility: hidden;
  }
  .react-flow__handle-left {
    top: 50%;
    left: 0;
  }
  .react-flow__handle-right {
    top: 50%;
    right: 0;
  }
  .react-flow__handle-bottom {
    bottom: 0;
    left: 10px;
  }
  .react-flow__panel {
    position: absolute;
    z-index: 5;
    margin: 10px;

    &.bottom {
      bottom: 0;
    }
    &.left {
      left: 0;
    }
    &.right {
      right: 0;
    }
  }
  .react-flow__controls {
    display: flex;
    flex-direction: column;
    gap: 2px;
  }
  .react-flow__controls-button {
    display: grid;
    place-items: center;
    width: 24px;
    height: 24px;
    padding: 4px;

    svg {
      width: 12px;
      height: 12px;
      fill: currentColor;
    }
    &:disabled {
      opacity: 0.5;
    }
  }
  .react-flow__attribution {
    margin: 2px 6px;
    font-size: 10px;

    a {
      display: inline-block;
      color: var(--muted);
      line-height: 24px;
    }
  }
`;
