import type { ErrorInfo } from '@vitrine/core';
import { redactText } from '@vitrine/inspect/internal/redact';
import {
  createContext,
  Fragment,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTexts } from '../texts.ts';

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
    element.current?.scrollIntoView?.({ block: 'start' });
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

export function ErrorLine({ error }: { readonly error: ErrorInfo }): ReactNode {
  return (
    <p className="error-line">
      <code>{error.code ?? error.name}</code> {redactText(error.message, 'message')}
    </p>
  );
}

type TextBlockProps = {
  /** The accessible name of a long text. */
  readonly label?: string;
  readonly children: string;
};

const longest = { characters: 900, lines: 16 };

/** A text without formatting. A long one scrolls, also by keyboard. */
export function TextBlock({ label, children }: TextBlockProps): ReactNode {
  const texts = useTexts().common;
  // No more lines are split off than decide.
  const lines = children.split('\n', longest.lines + 1).length;
  const isLong = children.length > longest.characters || lines > longest.lines;
  return (
    <pre
      data-long={isLong}
      {...(isLong ? { tabIndex: 0, role: 'group', 'aria-label': label ?? texts.text } : {})}
    >
      {children}
    </pre>
  );
}

/** The Unicode character that stands for an object within a text. */
const place = '\ufffc';

type TextAroundProps = {
  readonly text: (value: string) => string;
  /** The element in the place of the value. */
  readonly children: ReactNode;
};

/** A text with an element in the place of its value. */
export function TextAround({ text, children }: TextAroundProps): ReactNode {
  const parts = text(place).split(place);
  return parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && children}
      {part}
    </Fragment>
  ));
}
