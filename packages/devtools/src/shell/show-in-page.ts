import { highlight } from './highlight.ts';
import { pageItemOf } from './page-items.ts';

/** Scrolls to the part of the page that shows one of some calls or messages, and frames it for a moment. */
export function showInPage(ids: readonly string[]): boolean {
  const item = pageItemOf(ids, document);
  if (item === null) return false;
  item.element.scrollIntoView?.({ block: 'center' });
  highlight(item.element, 2000);
  return true;
}
