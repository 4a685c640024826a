const modifiers = ['Alt', 'Control', 'Meta', 'Shift'] as const;

/** Tells whether a key press matches a hotkey like `Alt+Shift+V`. */
export function isHotkey(event: KeyboardEvent, hotkey: string): boolean {
  const keys = hotkey.split('+').map((key) => key.trim());
  const last = keys.at(-1) ?? '';
  const isKey = [last, `Key${last.toUpperCase()}`, `Digit${last}`].includes(event.code);
  if (!isKey || event.isComposing) return false;
  return modifiers.every((name) => event.getModifierState(name) === keys.slice(0, -1).includes(name));
}
