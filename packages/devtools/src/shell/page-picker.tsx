import { Notice } from '../kit/notice.tsx';
import { highlight, type PageItem, pageItemAround } from '../kit/page-items.ts';
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
