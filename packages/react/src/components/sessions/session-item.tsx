'use client';

import type { SessionSummary } from '@vitrine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useExportSession, useRenameSession } from '../../hooks/stored-mutations.ts';
import { visibleText } from '../kit/hidden-characters.ts';
import { IconButton } from '../kit/icon-button.tsx';
import { isComposing } from '../kit/keyboard.ts';
import { saveFile } from '../kit/save-file.ts';
import { useTexts } from '../texts-provider.tsx';

type SessionItemProps = {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly onOpen: (id: string) => void;
  readonly onDelete: (session: SessionSummary) => void;
  readonly onError: (error: Error | null) => void;
};

/** The note of a session that cannot be opened, by status. */
const unread: { readonly [Status in SessionSummary['status']]?: 'damaged' | 'newer' } = {
  broken: 'damaged',
  newer: 'newer',
};

/** An entry of the session list, with buttons to open, rename, export and delete it. */
export function SessionItem({ session, isCurrent, onOpen, onDelete, onError }: SessionItemProps): ReactNode {
  const [isRenaming, setRenaming] = useState(false);
  const rename = useRenameSession();
  const exporting = useExportSession();
  const { common, hiddenCharacters, sessions: texts } = useTexts();
  const note = unread[session.status];
  const isReadable = !note;
  const title =
    visibleText(session.title, hiddenCharacters) || (isReadable ? common.newSession : texts.unreadable);

  const renameButton = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  // After renaming, the focus returns to the rename button unless it has moved elsewhere.
  useEffect(() => {
    const { activeElement } = document;
    if (wasRenaming.current && !isRenaming && (activeElement === null || activeElement === document.body))
      renameButton.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);
  const save = (): void => {
    onError(null);
    const onSuccess = (document: unknown): void => saveFile(title, 'json', JSON.stringify(document, null, 1));
    exporting.mutate(session.id, { onSuccess, onError });
  };

  if (isRenaming) {
    const saveTitle = (text: string): void => {
      const next = text.trim();
      onError(null);
      if (next !== '' && next !== session.title) rename.mutate({ id: session.id, title: next }, { onError });
      setRenaming(false);
    };
    return (
      <li className="vitrine-session" data-current={isCurrent}>
        <RenameField title={session.title} onSave={saveTitle} onCancel={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li className="vitrine-session" data-current={isCurrent}>
      <button
        type="button"
        className="vitrine-session-link"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => onOpen(session.id)}
        disabled={!isReadable}
      >
        <span className="vitrine-session-title" dir="auto">
          {title}
        </span>
        {note && <span className="vitrine-session-note">{texts[note]}</span>}
        {session.movedTo !== undefined && <span className="vitrine-session-note">{texts.moved}</span>}
      </button>
      {isReadable && (
        <IconButton
          buttonRef={renameButton}
          icon="pencil"
          label={texts.rename(title)}
          onClick={() => setRenaming(true)}
        />
      )}
      <IconButton icon="download" label={texts.export(title)} onClick={save} />
      {isReadable && (
        <IconButton icon="trash" label={texts.delete(title)} onClick={() => onDelete(session)} />
      )}
    </li>
  );
}

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
