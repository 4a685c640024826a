import { useSyncExternalStore } from 'react';

/** Returns the theme that the page shows, from `data-theme` of its root; empty before one is set. */
export function usePageTheme(): string {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset['theme'] ?? '');
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
