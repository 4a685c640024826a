import { type KeyboardEvent, useCallback, useContext, useState, useSyncExternalStore } from 'react';
import { PanelWindow } from './contexts.ts';

/** The rows of a long list that are in the document. */
type RowWindow<Item> = {
  /** The `ref` of the scrolling element. */
  readonly scroller: (element: HTMLElement | null) => void;
  /** The rows to render, each with its index and its place in the list. */
  readonly rows: readonly {
    readonly item: Item;
    readonly index: number;
    readonly style: React.CSSProperties;
  }[];
  /** The style of the element around the rows, which is as high as all of them. */
  readonly room: React.CSSProperties;
  /** Scrolls just far enough to show a row. */
  readonly reveal: (index: number) => void;
  /** False until the list is in the document. */
  readonly isThere: boolean;
  /** Tells whether the end of the list is in view or within 200 pixels. */
  readonly isNearEnd: () => boolean;
};

/** Number of extra rows on each side, so that scrolling shows no gaps. */
const overscan = 12;

/** Calculates the visible part of a list of rows with equal height. */
export function useRowWindow<Item>(items: readonly Item[], rowHeight: number): RowWindow<Item> {
  const count = items.length;
  const [element, setElement] = useState<HTMLElement | null>(null);
  // The panel may move to another window, which has its own ResizeObserver.
  const view = useContext(PanelWindow);
  const subscribe = useCallback((listener: () => void) => onMoved(element, view, listener), [element, view]);
  // A string, so that scrolling within a row causes no render.
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
    isThere: element !== null,
    rows: items.slice(from, to).map((item, at) => {
      const index = from + at;
      return { item, index, style: { top: index * rowHeight, height: rowHeight } };
    }),
    room: { height: count * rowHeight, position: 'relative' },
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

/** The index of the first visible row and the number of visible rows, as a string. */
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

/** The index that a key leads to in a list of rows, from one of them: a neighbour or an end; null for other keys. */
export function rowOfKey(key: string, at: number, count: number): number | null {
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
}

const turned: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** The key of an event; the arrows to the left and right are exchanged where texts run from right to left. */
export function keyOf({ key, currentTarget }: KeyboardEvent): string {
  const other = turned[key];
  if (other === undefined) return key;
  const view = currentTarget.ownerDocument.defaultView;
  return view?.getComputedStyle(currentTarget).direction === 'rtl' ? other : key;
}
