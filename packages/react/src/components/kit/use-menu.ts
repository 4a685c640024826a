'use client';

import { useEffect, useRef, useState } from 'react';

/** Keeps whether a menu in `<details>` is open. Escape closes it, as does a press or the focus elsewhere. */
export function useMenu() {
  const ref = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const page = ref.current?.ownerDocument;
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    const onLeave = ({ target }: Event): void => {
      if (target instanceof Node && ref.current?.contains(target) === false) setOpen(false);
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      // Escape also stops an answer, and closes the list of sessions.
      event.stopPropagation();
      setOpen(false);
      ref.current?.querySelector('summary')?.focus();
    };
    page?.addEventListener('pointerdown', onLeave, options);
    page?.addEventListener('focusin', onLeave, options);
    page?.addEventListener('keydown', onKeyDown, options);
    return () => listening.abort();
  }, [isOpen]);
  const onToggle = (): void => setOpen(ref.current?.open === true);
  return { isOpen, setOpen, props: { ref, className: 'vitrine-menu-box', open: isOpen, onToggle } };
}

/** Shows a menu in front of the page beside its `<details>`: what is around it would cut it off. A `ref` of the menu, which may be called again. */
export function showMenu(menu: HTMLElement | null): void {
  const button = menu?.parentElement?.getBoundingClientRect();
  if (!menu || !button) return;
  // Older browsers leave it where it is.
  if (!menu.popover) {
    menu.popover = 'manual';
    menu.showPopover?.();
  }
  const { clientWidth: width, clientHeight: height } = menu.ownerDocument.documentElement;
  const isAbove = button.top > height - button.bottom;
  const start = getComputedStyle(menu).direction === 'rtl' ? button.right - menu.offsetWidth : button.left;
  menu.style.left = `${Math.max(8, Math.min(start, width - menu.offsetWidth - 8))}px`;
  menu.style.bottom = isAbove ? `${height - button.top + 6}px` : 'auto';
  menu.style.top = isAbove ? 'auto' : `${button.bottom + 6}px`;
  menu.style.maxHeight = `${Math.min(400, (isAbove ? button.top : height - button.bottom) - 16)}px`;
}
