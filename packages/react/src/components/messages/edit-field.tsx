'use client';

import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { isComposing } from '../kit/is-composing.ts';
import { useTexts } from '../texts-provider.tsx';

type EditFieldProps = {
  readonly text: string;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
};

/** Edits an earlier message. Enter sends, Shift+Enter begins a line, Escape cancels. */
export function EditField({ text: before, onSend, onCancel }: EditFieldProps): ReactNode {
  const [text, setText] = useState(before);
  const { common, messages } = useTexts();
  const isSendable = text.trim() !== '' && text !== before;
  const send = (): void => {
    if (isSendable) onSend(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') onCancel();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="vitrine-edit"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label={messages.editField}
        autoFocus
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onKeyDown={onKeyDown}
      />
      <div className="vitrine-buttons">
        <button type="button" className="vitrine-button" onClick={onCancel}>
          {common.cancel}
        </button>
        <button type="submit" className="vitrine-button vitrine-primary" disabled={!isSendable}>
          {common.send}
        </button>
      </div>
    </form>
  );
}
