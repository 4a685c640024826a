import { type MouseEvent, type ReactNode, useState } from 'react';

type SectionProps = { readonly title: string; readonly isOpen?: boolean; readonly children: ReactNode };

/** A part of a page that folds away; what is in it is rendered while it is open only. */
export function Section({ title, isOpen: isOpenAtFirst = false, children }: SectionProps): ReactNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const toggle = (event: MouseEvent): void => {
    // The state decides, so that the element and what is rendered in it never part.
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
