import type { ReactNode } from 'react';

/** A link to the message box, first in keyboard order. */
export function SkipLink(): ReactNode {
  return (
    <a
      className="skip-link"
      href="#composer"
      onClick={(event) => {
        // The hash of the address is the session's id.
        event.preventDefault();
        document.getElementById('composer')?.focus();
      }}
    >
      Skip to the message box
    </a>
  );
}
