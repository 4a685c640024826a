import { type KeyboardEvent, type ReactNode, useState } from 'react';

type RenameFieldProps = {
  readonly title: string;
  readonly onSave: (title: string) => void;
  readonly onCancel: () => void;
};

export function RenameField({ title, onSave, onCancel }: RenameFieldProps): ReactNode {
  const [text, setText] = useState(title);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) onSave(text);
    if (event.key === 'Escape') onCancel();
  };
  return (
    <input
      className="rename-field"
      aria-label="Title of the session"
      autoFocus
      value={text}
      onChange={(event) => setText(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={() => onSave(text)}
      onKeyDown={onKeyDown}
    />
  );
}
