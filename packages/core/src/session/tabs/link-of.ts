import { browserTabs } from './browser-tabs.ts';
import type { TabLink } from '../stores/tab-link.ts';

/** How the tabs of a session find each other; null where they cannot. */
export function linkOf(
  shared: string | TabLink,
  sessionId: string,
): { readonly link: TabLink; readonly name: string } | null {
  const link = typeof shared === 'string' ? browserTabs() : shared;
  const store = typeof shared === 'string' ? shared : 'shared';
  return link && { link, name: `vitrine:${store}:${sessionId}` };
}
