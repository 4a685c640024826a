import { useCallback, useSyncExternalStore } from 'react';
import type { DevtoolsTheme } from '../options.ts';

/** The colours to use; `system` leaves the choice to the style sheet. */
export type ShownTheme = 'light' | 'dark' | 'system';

/** The theme as it is to be shown, also when the page changes its own. */
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

/** What the page says of itself: by an attribute, by a class, by its `color-scheme`; else the computer is asked. */
function pageTheme(): ShownTheme {
  for (const element of [document.documentElement, document.body]) {
    const told = names.map((name) => element.dataset[name]).find((value) => value !== undefined);
    if (told === 'light' || told === 'dark') return told;
    for (const theme of ['dark', 'light'] as const) if (element.classList.contains(theme)) return theme;
  }
  const scheme = getComputedStyle(document.documentElement).colorScheme;
  return scheme === 'light' || scheme === 'dark' ? scheme : 'system';
}
