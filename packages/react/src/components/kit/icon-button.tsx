'use client';

import type { ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';

type IconButtonProps = {
  readonly icon: Parameters<typeof Icon>[0]['name'];
  /** The accessible name, also shown as a tooltip. */
  readonly label: string;
  readonly onClick: (target: HTMLElement) => void;
  /**
   * Marks the button as having no effect now. Not `disabled`, because a disabled button would lose the
   * focus.
   */
  readonly isIdle?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
};

/** A button with an icon and an accessible name. It never submits a form. */
export function IconButton({ icon, label, onClick, isIdle, buttonRef }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      ref={buttonRef}
      className="vitrine-icon-button"
      aria-label={label}
      aria-disabled={isIdle}
      title={label}
      onClick={({ currentTarget }) => onClick(currentTarget)}
    >
      <Icon name={icon} />
    </button>
  );
}
