import { useEffect } from 'react';
import type { DockPosition } from '../options.ts';
import { pageRoom } from './settings.ts';

/** Below this width the panel is a sheet at the bottom, whatever side it is docked to. */
export const narrowWidth = 720;

type Room = { readonly isOpen: boolean; readonly position: DockPosition; readonly size: number };

/**
 * Tells the page how much room the panel takes: `--vitrine-devtools-left`, `-right`, `-top` or `-bottom` on the root
 * element, for layouts that want to make room. Nothing happens to pages that do not use it.
 */
export function useReservedRoom({ isOpen, position, size }: Room): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const { style } = document.documentElement;
    const name = `--vitrine-devtools-${position}`;
    const isSide = position === 'left' || position === 'right';
    const available = (): number => (isSide ? window.innerWidth : window.innerHeight);
    const update = (): void => {
      if (window.innerWidth < narrowWidth) style.removeProperty(name);
      else style.setProperty(name, `${Math.min(size, available() - pageRoom)}px`);
    };
    update();
    window.addEventListener('resize', update);
    return () => {
      style.removeProperty(name);
      window.removeEventListener('resize', update);
    };
  }, [isOpen, position, size]);
}
