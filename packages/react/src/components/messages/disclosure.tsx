'use client';

import { type MouseEvent, type ReactNode, useState } from 'react';

type DisclosureProps = {
  readonly className: string;
  readonly summary: ReactNode;
  /** Made only while it is open. */
  readonly children: () => ReactNode;
  /** For styles: what has become of it. */
  readonly status?: string;
  readonly toolCallId?: string;
};

/** A line that opens. Nothing of what is inside is rendered while it is closed. */
export function Disclosure({ className, summary, children, status, toolCallId }: DisclosureProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const toggle = (event: MouseEvent): void => {
    // What it shows is React's, so that the line and what is inside change at once.
    event.preventDefault();
    setOpen((is) => !is);
  };
  return (
    <details className={className} data-status={status} data-vitrine-call={toolCallId} open={isOpen}>
      <summary onClick={toggle}>{summary}</summary>
      {isOpen && <div className="vitrine-inside">{children()}</div>}
    </details>
  );
}
