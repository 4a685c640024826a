'use client';

import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { isComposing } from '../kit/is-composing.ts';
import { useTexts } from '../texts-provider.tsx';

type RenameFieldProps = {
  readonly title: string;
  readonly onSave: (title: string) => void;
  readonly onCancel: () => void;
};

/** Edits the title of a session. Enter and blur save, Escape cancels. */
export function RenameField({ title, onSave, onCancel }: RenameFieldProps): ReactNode {
  const [text, setText] = useState(title);
  const { titleField } = useTexts().sessions;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter') {
      // Otherwise the same key press would also activate the button that gets the focus.
      event.preventDefault();
      onSave(text);
    }
    if (event.key === 'Escape') onCancel();
  };
  return (
    <input
      className="vitrine-rename"
      aria-label={titleField}
      autoFocus
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={() => onSave(text)}
      onKeyDown={onKeyDown}
    />
  );
}
