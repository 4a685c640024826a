type Side = 'left' | 'right' | 'top' | 'bottom';
/** What the panel remembers between visits, as far as it is of use here. */
type Remembered = {
  readonly isOpen?: unknown;
  readonly position?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
};

const name = '--panel-room';

/** Leaves the panel the room that it will take, so that nothing moves when it comes. Gives what takes the room back. */
export function holdPanelRoom(first: { readonly isOpen: boolean; readonly position: Side }): () => void {
  const { style } = document.documentElement;
  const { isOpen = first.isOpen, position = first.position, width = 460, height = 420 } = remembered();
  if (isOpen !== true) return () => undefined;
  const isBeside = position === 'left' || position === 'right';
  const size = isBeside ? `min(${String(width)}px, 100vw - 80px)` : `min(${String(height)}px, 100vh - 80px)`;
  style.setProperty(`${name}-${String(position)}`, size);
  return () => style.removeProperty(`${name}-${String(position)}`);
}

function remembered(): Remembered {
  try {
    return (JSON.parse(localStorage.getItem('vitrine-devtools:v2') ?? '{}') ?? {}) as Remembered;
  } catch {
    return {};
  }
}
