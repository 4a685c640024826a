import { type SessionSummary, useExportSession, useRenameSession } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { visibleText } from '../chat/hidden-characters.ts';
import { Icon } from '../shell/icon.tsx';
import { RenameField } from './rename-field.tsx';
import { saveFile } from './save-file.ts';

type SessionItemProps = {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly onOpen: (id: string) => void;
  readonly onDelete: (session: SessionSummary) => void;
  readonly onError: (error: Error | null) => void;
};

/** What is said of a session that cannot be opened. */
const unread: Partial<Record<SessionSummary['status'], string>> = {
  broken: 'Damaged. It is left as it is; what is stored can be exported.',
  newer: 'Written by a newer version. Reload the page to open it.',
};

export function SessionItem({ session, isCurrent, onOpen, onDelete, onError }: SessionItemProps): ReactNode {
  const [isRenaming, setRenaming] = useState(false);
  const rename = useRenameSession();
  const exporting = useExportSession();
  const note = unread[session.status];
  const isReadable = note === undefined;
  const title = visibleText(session.title) || (isReadable ? 'New session' : 'Unreadable session');

  if (isRenaming) {
    const save = (text: string): void => {
      const next = text.trim();
      onError(null);
      if (next !== '' && next !== session.title) rename.mutate({ id: session.id, title: next }, { onError });
      setRenaming(false);
    };
    return (
      <li className="session-item" data-current={isCurrent}>
        <RenameField title={session.title} onSave={save} onCancel={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li className="session-item" data-current={isCurrent}>
      <button
        className="session-link"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => onOpen(session.id)}
        disabled={!isReadable}
      >
        <span className="session-title" dir="auto">
          {title}
        </span>
        {note && <span className="session-note">{note}</span>}
      </button>
      {isReadable && (
        <button className="icon-button" aria-label={`Rename ${title}`} onClick={() => setRenaming(true)}>
          <Icon name="pencil" />
        </button>
      )}
      <button
        className="icon-button"
        aria-label={`Export ${title}`}
        onClick={() => {
          onError(null);
          exporting.mutate(session.id, { onSuccess: (document) => saveFile(title, document), onError });
        }}
      >
        <Icon name="download" />
      </button>
      {isReadable && (
        <button className="icon-button" aria-label={`Delete ${title}`} onClick={() => onDelete(session)}>
          <Icon name="trash" />
        </button>
      )}
    </li>
  );
}
