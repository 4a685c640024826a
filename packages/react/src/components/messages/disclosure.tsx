'use client';

import { type MouseEvent, type ReactNode, useState } from 'react';

type DisclosureProps = {
  readonly className: string;
  readonly summary: ReactNode;
  /** Called only while the disclosure is open. */
  readonly children: () => ReactNode;
  /** The status of the content, for styles. */
  readonly status?: string;
  readonly toolCallId?: string;
};

/** A line that opens. Its content is rendered only while it is open. */
export function Disclosure({ className, summary, children, status, toolCallId }: DisclosureProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const toggle = (event: MouseEvent): void => {
    // React controls the open state, so that the line and its content change together.
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
