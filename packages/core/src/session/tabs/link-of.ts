import { browserTabs } from './browser-tabs.ts';
import type { TabLink } from '../stores/tab-link.ts';

/**
 * The link between the tabs of a session and its channel name; null where tabs cannot find each
 * other.
 */
export function linkOf(
  shared: string | TabLink,
  sessionId: string,
): { readonly link: TabLink; readonly name: string } | null {
  const link = typeof shared === 'string' ? browserTabs() : shared;
  const store = typeof shared === 'string' ? shared : 'shared';
  return link && { link, name: `vitrine:${store}:${sessionId}` };
}
