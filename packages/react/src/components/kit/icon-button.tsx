'use client';

import type { ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';

type IconButtonProps = {
  readonly icon: Parameters<typeof Icon>[0]['name'];
  /** What it does; read out, and shown to who waits above it. */
  readonly label: string;
  readonly onClick: (target: HTMLElement) => void;
  /** There is nothing to be done now. Not `disabled`: the button keeps the focus that it has. */
  readonly isIdle?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
};

/** A button that shows a picture and has a name. It never sends a form. */
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
