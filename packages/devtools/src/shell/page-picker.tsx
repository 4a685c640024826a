import { Notice } from '../kit/notice.tsx';
import { type ReactNode, useEffect } from 'react';
import { useTexts } from '../texts.ts';

type PagePickerProps = {
  readonly onPick: (item: PageItem) => void;
  /** Called when the person cancels. */
  readonly onEnd: () => void;
};

/** Lets a person pick a message or a call in the page. While rendered, it intercepts the next click. */
export function PagePicker({ onPick, onEnd }: PagePickerProps): ReactNode {
  const texts = useTexts().shell;
  useEffect(() => {
    let under: { readonly element: Element; readonly end: () => void } | null = null;
    const leave = (): void => {
      under?.end();
      under = null;
    };
    const onMove = (event: Event): void => {
      const element = itemOf(event)?.element;
      if (element === under?.element) return;
      leave();
      if (element) under = { element, end: highlight(element, Infinity) };
    };
    const onClick = (event: Event): void => {
      if (isOnPanel(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const item = itemOf(event);
      if (item) onPick(item);
      else onEnd();
    };
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onEnd();
    };
    const ending = new AbortController();
    const options = { capture: true, signal: ending.signal };
    document.addEventListener('pointermove', onMove, options);
    document.addEventListener('click', onClick, options);
    document.addEventListener('keydown', onKeyDown, options);
    return () => {
      leave();
      ending.abort();
    };
  }, [onPick, onEnd]);
  return <Notice text={texts.picking} />;
}

function itemOf(event: Event): PageItem | null {
  const [target] = event.composedPath();
  return pageItemAround(target as Element | null);
}

function isOnPanel(event: Event): boolean {
  return event
    .composedPath()
    .some((node) => node instanceof Element && node.hasAttribute('data-vitrine-devtools'));
}

/** An element of the page that shows part of a session: it has `data-vitrine-message` or `data-vitrine-call`. */
export type PageItem = { readonly kind: 'message' | 'call'; readonly id: string; readonly element: Element };

const attributes = { call: 'data-vitrine-call', message: 'data-vitrine-message' } as const;
const selector = Object.values(attributes)
  .map((name) => `[${name}]`)
  .join(', ');

function pageItemAround(element: Element | null): PageItem | null {
  const found = element?.closest(selector) ?? null;
  if (found === null) return null;
  const call = found.getAttribute(attributes.call);
  if (call !== null) return { kind: 'call', id: call, element: found };
  return { kind: 'message', id: found.getAttribute(attributes.message) ?? '', element: found };
}

/** Finds the first element that shows one of the given calls or messages. */
function pageItemOf(ids: readonly string[], page: Document): PageItem | null {
  for (const id of ids) {
    for (const [kind, name] of Object.entries(attributes) as ['call' | 'message', string][]) {
      const element = page.querySelector(`[${name}="${CSS.escape(id)}"]`);
      if (element) return { kind, id, element };
    }
  }
  return null;
}

/**
 * Scrolls to the element of one of the given calls or messages and highlights it for two seconds. Returns
 * false when there is none.
 */
export function showInPage(ids: readonly string[]): boolean {
  const item = pageItemOf(ids, document);
  if (item === null) return false;
  item.element.scrollIntoView?.({ block: 'center' });
  highlight(item.element, 2000);
  return true;
}

/**
 * Draws a frame around an element of the page for a time, without changing its attributes or styles.
 * @param ms Duration in milliseconds; `Infinity` until it is removed.
 * @returns The function that removes it.
 */
function highlight(element: Element, ms: number): () => void {
  const frame = { outline: '3px solid #14b8a6', outlineOffset: '2px' };
  // `animate` is missing in test environments.
  const animation = element.animate?.([frame, frame], { duration: ms });
  return () => animation?.cancel();
}
