type Side = 'left' | 'right' | 'top' | 'bottom';
/** The panel's stored settings that are used here. */
type Remembered = {
  readonly isOpen?: unknown;
  readonly position?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
};

const name = '--panel-room';

/**
 * Reserves the room of the panel, so that nothing moves when it loads. Returns the function that releases
 * the room.
 */
export function holdPanelRoom(first: { readonly isOpen: boolean; readonly position: Side }): () => void {
  const { style } = document.documentElement;
  const { isOpen = first.isOpen, position = first.position, width = 460, height = 420 } = readRemembered();
  if (isOpen !== true) return () => undefined;
  const isBeside = position === 'left' || position === 'right';
  const size = isBeside ? `min(${String(width)}px, 100vw - 80px)` : `min(${String(height)}px, 100vh - 80px)`;
  style.setProperty(`${name}-${String(position)}`, size);
  return () => style.removeProperty(`${name}-${String(position)}`);
}

function readRemembered(): Remembered {
  try {
    return (JSON.parse(localStorage.getItem('vitrine-devtools:v2') ?? '{}') ?? {}) as Remembered;
  } catch {
    return {};
  }
}
