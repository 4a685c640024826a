import { useCallback, useSyncExternalStore } from 'react';
import type { DevtoolsTheme } from '../options.ts';

/** The colours to use; `system` leaves the choice to the stylesheet. */
export type ShownTheme = 'light' | 'dark' | 'system';

/** Returns the theme to show; follows changes of the page's own theme. */
export function useTheme(theme: DevtoolsTheme): ShownTheme {
  const subscribe = useCallback(
    (listener: () => void) => (theme === 'page' ? onPageChange(listener) : () => undefined),
    [theme],
  );
  return useSyncExternalStore(subscribe, () => (theme === 'page' ? pageTheme() : theme));
}

function onPageChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  for (const element of [document.documentElement, document.body])
    observer.observe(element, { attributes: true });
  return () => observer.disconnect();
}

const names = ['theme', 'colorScheme', 'colorMode', 'mode'];

/** The theme of the page by an attribute, a class or its `color-scheme`; otherwise `system`. */
function pageTheme(): ShownTheme {
  for (const element of [document.documentElement, document.body]) {
    const named = names.map((name) => element.dataset[name]).find((value) => value !== undefined);
    if (named === 'light' || named === 'dark') return named;
    for (const theme of ['dark', 'light'] as const) if (element.classList.contains(theme)) return theme;
  }
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === 'light' || scheme === 'dark' ? scheme : 'system';
}
