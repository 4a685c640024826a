import { readKept } from '../kit/kept.ts';

type Side = 'left' | 'right' | 'top' | 'bottom';
/** The panel's stored settings that are used here. */
type Remembered = Record<'isOpen' | 'position' | 'width' | 'height', unknown>;

const name = '--panel-room';

/**
 * Reserves the room of the panel, so that nothing moves when it loads. Returns the function that releases
 * the room.
 */
export function holdPanelRoom(first: { readonly isOpen: boolean; readonly position: Side }): () => void {
  const { style } = document.documentElement;
  const {
    isOpen = first.isOpen,
    position = first.position,
    width = 460,
    height = 420,
  } = readKept<Remembered>('vitrine-devtools:v2');
  if (isOpen !== true) return () => undefined;
  const isBeside = position === 'left' || position === 'right';
  const size = isBeside ? `min(${String(width)}px, 100vw - 80px)` : `min(${String(height)}px, 100vh - 80px)`;
  style.setProperty(`${name}-${String(position)}`, size);
  return () => style.removeProperty(`${name}-${String(position)}`);
}
