import { css } from '../../kit/css.ts';

/**
 * The rules of @xyflow/react's `base.css` that a static graph needs, placed in the shadow root like all
 * styles.
 */
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
      color: var(--muted);
    }
  }
`;
