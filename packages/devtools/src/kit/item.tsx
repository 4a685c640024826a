import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';

/** The id of the item to reveal; null when there is none. */
export const FoundItem: React.Context<string | null> = createContext<string | null>(null);

type ItemProps = { readonly id: string; readonly className?: string; readonly children: ReactNode };

/** A part of a view that can be revealed: it is then scrolled into view, marked and focused. */
export function Item({ id, className = '', children }: ItemProps): ReactNode {
  const isFound = useContext(FoundItem) === id;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isFound) return;
    // `scrollIntoView` is missing in test environments.
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
