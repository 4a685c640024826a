/**
 * An element of the page that shows part of a session: it has `data-vitrine-message` or
 * `data-vitrine-call`.
 */
export type PageItem = { readonly kind: 'message' | 'call'; readonly id: string; readonly element: Element };

const attributes = { call: 'data-vitrine-call', message: 'data-vitrine-message' } as const;
const selector = Object.values(attributes)
  .map((name) => `[${name}]`)
  .join(', ');

/** Finds the innermost such element around an element. */
export function pageItemAround(element: Element | null): PageItem | null {
  const found = element?.closest(selector) ?? null;
  if (found === null) return null;
  const call = found.getAttribute(attributes.call);
  if (call !== null) return { kind: 'call', id: call, element: found };
  return { kind: 'message', id: found.getAttribute(attributes.message) ?? '', element: found };
}

/** Finds the first element that shows one of the given calls or messages. */
export function pageItemOf(ids: readonly string[], page: Document): PageItem | null {
  for (const id of ids) {
    for (const [kind, name] of Object.entries(attributes) as ['call' | 'message', string][]) {
      const element = page.querySelector(`[${name}="${CSS.escape(id)}"]`);
      if (element) return { kind, id, element };
    }
  }
  return null;
}
