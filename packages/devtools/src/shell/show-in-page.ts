import { highlight } from './highlight.ts';
import { pageItemOf } from './page-items.ts';

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
