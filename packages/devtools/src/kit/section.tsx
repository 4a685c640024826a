import { type MouseEvent, type ReactNode, useState } from 'react';

type SectionProps = { readonly title: string; readonly isOpen?: boolean; readonly children: ReactNode };

/** A collapsible part of a page; its content is rendered only while it is open. */
export function Section({ title, isOpen: isOpenAtFirst = false, children }: SectionProps): ReactNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const toggle = (event: MouseEvent): void => {
    // The React state decides, so that the element and its content always agree.
    event.preventDefault();
    setOpen(!isOpen);
  };
  return (
    <details className="section" open={isOpen}>
      <summary onClick={toggle}>{title}</summary>
      {isOpen && children}
    </details>
  );
}
