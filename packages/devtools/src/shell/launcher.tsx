import { type ReactNode, useEffect, useRef } from 'react';
import type { ButtonPosition } from '../options.ts';
import { useTexts } from '../texts.ts';

type LauncherProps = {
  readonly corner: ButtonPosition;
  /** True after a person closed the panel; the button then takes the focus. */
  readonly hasFocus: boolean;
  readonly onOpen: () => void;
};

/** The button that opens the panel. */
export function Launcher({ corner, hasFocus, onOpen }: LauncherProps): ReactNode {
  const texts = useTexts().shell;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (hasFocus) button.current?.focus();
  }, [hasFocus]);
  return (
    <button ref={button} className={`launcher ${corner}`} aria-label={texts.open} onClick={onOpen}>
      <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
        <path
          d="M6 8l10 17L26 8"
          fill="none"
          stroke="currentColor"
          strokeWidth="4"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}
