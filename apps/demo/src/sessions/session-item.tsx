import { type SessionSummary, useDeleteSession, useRenameSession } from '@vitrine/react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { visibleText } from '../chat/hidden-characters.ts';
import { Icon } from '../shell/icon.tsx';

type SessionItemProps = {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly onOpen: (id?: string) => void;
};
type Mode = 'show' | 'rename' | 'confirm';

export function SessionItem({ session, isCurrent, onOpen }: SessionItemProps): ReactNode {
  const [mode, setMode] = useState<Mode>('show');
  const rename = useRenameSession();
  const remove = useDeleteSession();
  const title =
    session.status === 'broken' ? 'Unreadable session' : visibleText(session.title) || 'New session';

  if (mode === 'rename') {
    const save = (text: string): void => {
      if (text.trim() !== '' && text !== session.title) rename.mutate({ id: session.id, title: text.trim() });
      setMode('show');
    };
    return (
      <li className="session-item" data-current={isCurrent}>
        <RenameField title={session.title} onSave={save} onCancel={() => setMode('show')} />
      </li>
    );
  }
  if (mode === 'confirm') {
    const confirm = (): void => {
      // The session is left first, so that nothing saves it again.
      if (isCurrent) onOpen();
      remove.mutate(session.id);
    };
    return (
      <li className="session-item confirm" data-current={isCurrent}>
        <span>Delete “{title}”?</span>
        <button className="button danger" autoFocus onClick={confirm}>
          Delete
        </button>
        <button className="button" onClick={() => setMode('show')}>
          Keep
        </button>
      </li>
    );
  }
  return (
    <li className="session-item" data-current={isCurrent}>
      <button
        className="session-link"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => onOpen(session.id)}
        disabled={session.status === 'broken'}
      >
        <span className="session-title" dir="auto">
          {title}
        </span>
      </button>
      {session.status !== 'broken' && (
        <button className="icon-button" aria-label={`Rename ${title}`} onClick={() => setMode('rename')}>
          <Icon name="pencil" />
        </button>
      )}
      <button className="icon-button" aria-label={`Delete ${title}`} onClick={() => setMode('confirm')}>
        <Icon name="trash" />
      </button>
    </li>
  );
}

type RenameFieldProps = {
  readonly title: string;
  readonly onSave: (title: string) => void;
  readonly onCancel: () => void;
};

function RenameField({ title, onSave, onCancel }: RenameFieldProps): ReactNode {
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
