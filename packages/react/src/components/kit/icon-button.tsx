'use client';

import { type ComponentProps, type ReactNode, type Ref, useEffect, useState } from 'react';
import { useTexts } from '../texts-provider.tsx';

/** A button with a text. It never submits a form unless its type says so. */
export function Button({ className = '', ...props }: ComponentProps<'button'>): ReactNode {
  return <button type="button" {...props} className={`vitrine-button ${className}`.trimEnd()} />;
}

type IconButtonProps = {
  readonly icon: Parameters<typeof Icon>[0]['name'];
  /** The accessible name, also shown as a tooltip. */
  readonly label: string;
  readonly onClick: (target: HTMLElement) => void;
  /** Marks the button as having no effect now. Not `disabled`, because a disabled button would lose the focus. */
  readonly isIdle?: boolean;
  readonly isPressed?: boolean;
  /** For a button that shows something else: true if that is shown, with the id of its element. */
  readonly isExpanded?: boolean;
  readonly controls?: string;
  readonly buttonRef?: Ref<HTMLButtonElement>;
};

/** A button with an icon and an accessible name. It never submits a form. */
export function IconButton(props: IconButtonProps): ReactNode {
  const { icon, label, onClick, isIdle, isPressed, isExpanded, controls, buttonRef } = props;
  return (
    <button
      type="button"
      ref={buttonRef}
      className="vitrine-icon-button"
      aria-label={label}
      aria-disabled={isIdle}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      aria-controls={controls}
      title={label}
      onClick={({ currentTarget }) => onClick(currentTarget)}
    >
      <Icon name={icon} />
    </button>
  );
}

const shownMs = 4000;

/** Copies a text and shows whether that worked. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [outcome, setOutcome] = useState<'copied' | 'copyingNotAllowed' | null>(null);
  const texts = useTexts().common;
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    // The clipboard is missing on pages without HTTPS.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setOutcome('copied'),
        () => setOutcome('copyingNotAllowed'),
      );
  };
  return (
    <>
      <IconButton icon="copy" label={label} onClick={copy} />
      <span className="vitrine-outcome" role="status">
        {outcome && texts[outcome]}
      </span>
    </>
  );
}

const paths = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  pencil: 'M4 20h4L19 9l-4-4L4 16z',
  trash: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
  download: 'M12 4v11M7 10l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 10l5-5 5 5M5 20h14',
  down: 'M12 5v14M6 13l6 6 6-6',
  next: 'M9 6l6 6-6 6',
  previous: 'M15 6l-6 6 6 6',
  again: 'M19 12a7 7 0 11-2-5M19 4v4h-4',
  clip: 'M20 11l-8.5 8.5a5 5 0 01-7-7L13 4a3.4 3.4 0 015 5l-8.5 8.4a1.7 1.7 0 01-2.4-2.4L14.5 7.5',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  fork: 'M7 4v16M7 15c7 0 10-3 10-9M13.5 9.5L17 6l3.5 3.5',
  thumbUp: 'M7 11v9H4v-9zM7 11l4-7c1.5 0 2.5 1 2.2 2.8l-.6 3.4H18a2 2 0 012 2.3l-1 6a2 2 0 01-2 1.5H7',
  thumbDown: 'M17 13V4h3v9zM17 13l-4 7c-1.5 0-2.5-1-2.2-2.8l.6-3.4H6a2 2 0 01-2-2.3l1-6A2 2 0 017 4h10',
  close: 'M7 7l10 10M17 7L7 17',
  speaker: 'M4 10v4h3l5 4V6l-5 4zM15.5 9a4 4 0 010 6M18 6.5a8 8 0 010 11',
} as const;

/** A decorative icon; the control around it has the accessible name. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg className="vitrine-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
