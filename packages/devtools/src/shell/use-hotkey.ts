import { useEffect, useRef } from 'react';

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
  const isActive = act !== null;
  useEffect(() => {
    if (hotkey === null || !isActive) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || !isHotkey(event, hotkey)) return;
      event.preventDefault();
      latest.current?.();
    };
    const documents = new Set([document, view?.document ?? document]);
    for (const one of documents) one.addEventListener('keydown', onKeyDown);
    return () => {
      for (const one of documents) one.removeEventListener('keydown', onKeyDown);
    };
  }, [hotkey, view, isActive]);
}

const modifiers = ['Alt', 'Control', 'Meta', 'Shift'] as const;

/** Tells whether a key press matches a hotkey like `Alt+Shift+V`. */
function isHotkey(event: KeyboardEvent, hotkey: string): boolean {
  const keys = hotkey.split('+').map((key) => key.trim());
  const last = keys.at(-1) ?? '';
  const isKey = [last, `Key${last.toUpperCase()}`, `Digit${last}`].includes(event.code);
  if (!isKey || event.isComposing) return false;
  return modifiers.every((name) => event.getModifierState(name) === keys.slice(0, -1).includes(name));
}
