import type { ReactNode } from 'react';

type SectionProps = { readonly title: string; readonly isOpen?: boolean; readonly children: ReactNode };

/** A part of a page that folds away. */
export function Section({ title, isOpen = false, children }: SectionProps): ReactNode {
  return (
    <details className="section" open={isOpen}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
