/** An element of the page that shows part of a session: it has `data-vitrine-message` or `data-vitrine-call`. */
export type PageItem = { readonly kind: 'message' | 'call'; readonly id: string; readonly element: Element };

const attributes = { call: 'data-vitrine-call', message: 'data-vitrine-message' } as const;
const selector = Object.values(attributes)
  .map((name) => `[${name}]`)
  .join(', ');

/** The nearest item around an element. */
export function pageItemAround(element: Element | null): PageItem | null {
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
export function highlight(element: Element, ms: number): () => void {
  const frame = { outline: '3px solid #14b8a6', outlineOffset: '2px' };
  // `animate` is missing in test environments.
  const animation = element.animate?.([frame, frame], { duration: ms });
  return () => animation?.cancel();
}
