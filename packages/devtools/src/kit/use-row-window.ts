import { useCallback, useContext, useState, useSyncExternalStore } from 'react';
import { PanelWindow } from './panel-window.ts';

/** Which rows of a long list are in the document. */
export type RowWindow = {
  /** The `ref` of the element that scrolls. */
  readonly scroller: (element: HTMLElement | null) => void;
  /** Indexes of the rows to render. */
  readonly rows: readonly number[];
  /** Scrolls as far as it takes to see a row. */
  readonly reveal: (index: number) => void;
  /** True while the end of the list is in view, or nearly. */
  readonly isNearEnd: () => boolean;
};

/** Rows beyond the view, so that scrolling shows no gaps. */
const overscan = 12;

/** The part of a list of rows of one height that is in view. */
export function useRowWindow(count: number, rowHeight: number): RowWindow {
  const [element, setElement] = useState<HTMLElement | null>(null);
  // In another window another one has to look at the size.
  const view = useContext(PanelWindow);
  const subscribe = useCallback((listener: () => void) => onMoved(element, view, listener), [element, view]);
  // Text, so that scrolling within a row renders nothing.
  const inView = useSyncExternalStore(
    subscribe,
    () => rowsInView(element, rowHeight),
    () => '0 0',
  );
  const [first = 0, visible = 0] = inView.split(' ').map(Number);
  const from = Math.max(0, Math.min(first, count - visible) - overscan);
  const to = Math.min(count, first + visible + overscan);
  return {
    scroller: setElement,
    rows: Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index),
    reveal: useCallback((index: number) => revealRow(element, index, rowHeight), [element, rowHeight]),
    isNearEnd: useCallback(() => isEndNear(element), [element]),
  };
}

function onMoved(element: HTMLElement | null, view: Window | null, listener: () => void): () => void {
  if (element === null) return () => undefined;
  element.addEventListener('scroll', listener, { passive: true });
  const { ResizeObserver: Observer } = (view ?? globalThis) as Partial<typeof globalThis>;
  const observer = typeof Observer === 'function' ? new Observer(listener) : null;
  observer?.observe(element);
  return () => {
    element.removeEventListener('scroll', listener);
    observer?.disconnect();
  };
}

/** The first row in view, and how many there are. */
function rowsInView(element: HTMLElement | null, rowHeight: number): string {
  if (element === null) return '0 0';
  return `${Math.floor(element.scrollTop / rowHeight)} ${Math.ceil(element.clientHeight / rowHeight)}`;
}

function revealRow(element: HTMLElement | null, index: number, rowHeight: number): void {
  if (element === null) return;
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < element.scrollTop) element.scrollTop = top;
  else if (bottom > element.scrollTop + element.clientHeight)
    element.scrollTop = bottom - element.clientHeight;
}

function isEndNear(element: HTMLElement | null): boolean {
  return element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < 200;
}
