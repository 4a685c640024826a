import type { KeyboardEvent, PointerEvent, ReactNode } from 'react';
import type { DockPosition } from '../options.ts';
import { minSize, pageRoom } from './use-settings.ts';
import { useTexts } from '../texts.ts';

const step = 24;

type SplitterProps = {
  readonly position: DockPosition;
  readonly size: number;
  readonly onSize: (size: number) => void;
};

/** The edge of the panel, which can be dragged or moved with the arrow keys. */
export function Splitter({ position, size, onSize }: SplitterProps): ReactNode {
  const texts = useTexts().shell;
  const isSide = position === 'left' || position === 'right';
  const max = (): number => Math.max(minSize, (isSide ? window.innerWidth : window.innerHeight) - pageRoom);
  const set = (next: number): void => onSize(Math.round(Math.min(max(), Math.max(minSize, next))));

  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const from = {
      left: event.clientX,
      right: window.innerWidth - event.clientX,
      top: event.clientY,
      bottom: window.innerHeight - event.clientY,
    };
    set(from[position]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const grow = { left: 'ArrowRight', right: 'ArrowLeft', top: 'ArrowDown', bottom: 'ArrowUp' }[position];
    const shrink = { left: 'ArrowLeft', right: 'ArrowRight', top: 'ArrowUp', bottom: 'ArrowDown' }[position];
    if (event.key === grow) set(size + step);
    else if (event.key === shrink) set(size - step);
    else return;
    event.preventDefault();
  };
  return (
    <div
      className="splitter"
      role="separator"
      tabIndex={0}
      aria-label={texts.size}
      aria-orientation={isSide ? 'vertical' : 'horizontal'}
      aria-valuenow={size}
      aria-valuemin={minSize}
      aria-valuemax={max()}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
