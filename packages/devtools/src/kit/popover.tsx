import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { useLatest } from './use-latest.ts';
import { PanelWindow } from './contexts.ts';

type PopoverProps = {
  /** The accessible name of the button and of what it opens. */
  readonly label: string;
  /** The content of the button. Default: the label. */
  readonly mark?: string;
  readonly children: (close: () => void) => ReactNode;
};

/** A button that opens a few more buttons. Escape, or a press elsewhere, closes them. */
export function Popover({ label, mark = label, children }: PopoverProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useId();
  const close = (): void => setOpen(false);
  useOutside(whole, isOpen, close);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen) return;
    close();
    button.current?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span ref={whole} className="popover" onKeyDown={onKeyDown}>
      <button
        ref={button}
        className="popover-button"
        aria-label={label}
        title={mark === label ? undefined : label}
        aria-expanded={isOpen}
        aria-controls={list}
        onClick={() => setOpen(!isOpen)}
      >
        {mark}
      </button>
      <span id={list} className="popover-list" role="group" aria-label={label} hidden={!isOpen}>
        {children(close)}
      </span>
    </span>
  );
}

/** Calls back when a person presses outside of an element, in the panel or on the page. */
function useOutside(
  element: { readonly current: HTMLElement | null },
  isOpen: boolean,
  act: () => void,
): void {
  const view = useContext(PanelWindow);
  const latest = useLatest(act);
  useEffect(() => {
    if (!isOpen) return undefined;
    const page = (view ?? window).document;
    const onPress = (event: Event): void => {
      const { current } = element;
      if (current && !event.composedPath().includes(current)) latest.current();
    };
    page.addEventListener('pointerdown', onPress, true);
    return () => page.removeEventListener('pointerdown', onPress, true);
  }, [element, isOpen, view, latest]);
}
