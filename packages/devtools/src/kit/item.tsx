import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** The id of the item that was looked for; null when none was. */
export const FoundItem: React.Context<string | null> = createContext<string | null>(null);

type ItemProps = { readonly id: string; readonly className?: string; readonly children: ReactNode };

/** A part of a view that can be found: then it is scrolled to, marked, and has the focus. */
export function Item({ id, className = '', children }: ItemProps): ReactNode {
  const isFound = useContext(FoundItem) === id;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isFound) return;
    // Not everywhere where panels are rendered there is something to scroll.
    element.current?.scrollIntoView?.({ block: 'center' });
    element.current?.focus({ preventScroll: true });
  }, [isFound]);
  return (
    <div
      ref={element}
      className={`item ${className}`}
      data-found={isFound}
      tabIndex={isFound ? -1 : undefined}
    >
      {children}
    </div>
  );
}
