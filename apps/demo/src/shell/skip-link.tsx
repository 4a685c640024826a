import type { ReactNode } from 'react';

/** The first thing that the keyboard finds. */
export function SkipLink(): ReactNode {
  return (
    <a
      className="skip-link"
      href="#composer"
      onClick={(event) => {
        // The address names the session.
        event.preventDefault();
        document.getElementById('composer')?.focus();
      }}
    >
      Skip to the message box
    </a>
  );
}
