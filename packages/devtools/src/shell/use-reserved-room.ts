import { useEffect } from 'react';
import type { DockPosition } from '../options.ts';
import { pageRoom } from './settings.ts';

/** Width below which the panel is a sheet at the bottom, whatever its dock side. */
export const narrowWidth = 720;

type Room = { readonly isOpen: boolean; readonly position: DockPosition; readonly size: number };

/**
 * Publishes the size of the panel to the page as `--vitrine-devtools-left`, `-right`, `-top` or `-bottom`
 * on the root element, for layouts that make room for it. Other pages are not affected.
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
