import { useEffect, useRef } from 'react';
import { isHotkey } from './hotkey.ts';

const usual = 'Alt+Shift+V';

/**
 * Listens for the hotkey on the page and in the panel's window, unless another handler has used the key
 * press. Null disables it.
 */
export function useHotkey(
  hotkey: string | null = usual,
  view: Window | null,
  act: (() => void) | null,
): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  const isHeard = act !== null;
  useEffect(() => {
    if (hotkey === null || !isHeard) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || !isHotkey(event, hotkey)) return;
      event.preventDefault();
      latest.current?.();
    };
    const heard = new Set([document, view?.document ?? document]);
    for (const one of heard) one.addEventListener('keydown', onKeyDown);
    return () => {
      for (const one of heard) one.removeEventListener('keydown', onKeyDown);
    };
  }, [hotkey, view, isHeard]);
}
