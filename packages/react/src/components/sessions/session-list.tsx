'use client';

import { isAgentError, type SessionSummary } from '@vitrine/core';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useDeleteSession, useImportSession } from '../../hooks/stored-mutations.ts';
import { useSessions } from '../../hooks/use-sessions.ts';
import { visibleText } from '../kit/hidden-characters.ts';
import { Icon } from '../kit/icon-button.tsx';
import { useKeptFocus } from '../kit/keyboard.ts';
import { isFailedImport, usePersonSentence } from '../kit/use-person-sentence.ts';
import { newSessionId } from '../kit/new-session-id.ts';
import { useTexts } from '../texts-provider.tsx';
import { daysOf, useToday } from './days-of.ts';
import { SessionItem } from './session-item.tsx';

/** Props of `SessionList`. */
export type SessionListProps = {
  /** The id of the open session, which the list marks. */
  readonly currentId: string;
  /** Opens a session. `isNew` is true for a new one, of which nothing is stored. */
  readonly onOpen: (id: string, isNew: boolean) => void;
  /** Shown below the sessions. */
  readonly children?: ReactNode;
};

const pageLength = 50;

/**
 * The stored sessions by day, with search, rename, export, import, and delete with undo.
 *
 * Render it above `<AgentSessionProvider>`, so that it stays when another session is opened.
 */
export function SessionList({ currentId, onOpen, children }: SessionListProps): ReactNode {
  const [failure, setFailure] = useState<Error | null>(null);
  const open = (id: string): void => onOpen(id, false);
  const openNew = (): void => onOpen(newSessionId(), true);
  const { deleted, remove, undo, forget } = useDeletion({ currentId, open, openNew, onError: setFailure });
  const [words, setWords] = useState('');
  const search = useDeferredValue(words.trim());
  const { data, error, hasNextPage, fetchNextPage } = useSessions({
    limit: pageLength,
    ...(search !== '' && { search }),
  });
  const today = useToday();
  const say = usePersonSentence();
  const { common, failures, sessions: texts } = useTexts();

  const problem = error ?? failure;
  const area = useRef<HTMLDivElement>(null);
  useKeptFocus(area, firstButton);
  return (
    // `display: contents`, because the element only groups the list and the toast.
    <div ref={area} className="vitrine-session-area" style={{ display: 'contents' }}>
      <nav className="vitrine-sessions" aria-label={texts.label}>
        <div className="vitrine-session-actions">
          <button type="button" className="vitrine-button vitrine-new-session" onClick={openNew}>
            <Icon name="plus" /> {common.newSession}
          </button>
          <ImportButton onOpen={open} onError={setFailure} />
        </div>
        <input
          type="search"
          className="vitrine-search"
          placeholder={texts.search}
          aria-label={texts.searchLabel}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {problem && say && (
          <p className="vitrine-hint vitrine-problem" role="alert">
            {isAgentError(problem) ? say(problem) : plainly(problem, failures.missingPart)}
          </p>
        )}
        {data?.length === 0 && (
          <p className="vitrine-hint">{search === '' ? texts.none : texts.nothingFound}</p>
        )}
        {daysOf(data ?? [], today, texts).map(({ name, sessions }) => (
          <section key={name} aria-label={name}>
            <h2 className="vitrine-day">{name}</h2>
            <ul className="vitrine-session-list">
              {sessions.map((session) => (
                <SessionItem
                  key={session.id}
                  session={session}
                  isCurrent={session.id === currentId}
                  onOpen={open}
                  onDelete={remove}
                  onError={setFailure}
                />
              ))}
            </ul>
          </section>
        ))}
        {hasNextPage && (
          <button type="button" className="vitrine-button vitrine-quiet" onClick={() => void fetchNextPage()}>
            {texts.showOlder}
          </button>
        )}
        {children}
      </nav>
      {deleted && <UndoToast key={deleted.id} {...deleted} onUndo={undo} onEnd={forget} />}
    </div>
  );
}

function plainly({ message }: Error, missingPart: string): string {
  return isFailedImport({ code: null, message }) ? missingPart : message;
}

/** The focus fallback: the open session, or the button for a new one. */
function firstButton(area: HTMLElement): HTMLElement | null {
  return area.querySelector<HTMLElement>('[aria-current=page]') ?? area.querySelector('button');
}

type UndoToastProps = {
  readonly title: string;
  /** Unix milliseconds. */
  readonly until: number;
  readonly onUndo: () => void;
  /** Called when the time is over or the person dismisses the toast. */
  readonly onEnd: () => void;
};

/**
 * A toast for a deleted session, shown while the deletion can be undone. Its button takes the focus,
 * because the deleted item had it.
 */
function UndoToast({ title, until, onUndo, onEnd }: UndoToastProps): ReactNode {
  const end = useRef(onEnd);
  const texts = useTexts().sessions;
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    const timer = setTimeout(() => end.current(), Math.max(0, until - Date.now()));
    return () => clearTimeout(timer);
  }, [until]);
  return (
    <div
      className="vitrine-toast"
      role="status"
      onKeyDown={({ key }) => {
        if (key === 'Escape') onEnd();
      }}
    >
      <span className="vitrine-toast-text">{texts.deleted(title)}</span>
      <button type="button" className="vitrine-button" autoFocus onClick={onUndo}>
        {texts.undo}
      </button>
    </div>
  );
}

type ImportButtonProps = {
  readonly onOpen: (id: string) => void;
  readonly onError: (error: Error | null) => void;
};

/** Imports a session file. The file is untrusted, so all of it is validated. */
function ImportButton({ onOpen, onError }: ImportButtonProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const importing = useImportSession();
  const { failures, sessions: texts } = useTexts();
  return (
    <>
      <button
        type="button"
        className="vitrine-button"
        aria-label={texts.import}
        title={texts.import}
        disabled={importing.isPending}
        onClick={() => field.current?.click()}
      >
        <Icon name="upload" />
      </button>
      <input
        ref={field}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={texts.fileToImport}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          onError(null);
          if (file)
            importing.mutate(
              { document: file },
              { onSuccess: onOpen, onError: (thrown) => onError(asOfFile(thrown, failures.notASessionFile)) },
            );
        }}
      />
    </>
  );
}

/** Replaces an error about stored data by one about the file. */
function asOfFile(thrown: Error, sentence: string): Error {
  return isAgentError(thrown, 'state-invalid') ? new Error(sentence) : thrown;
}

/** The session that was deleted last, and until when the deletion can be undone. */
type Deleted = {
  readonly id: string;
  readonly title: string;
  readonly wasCurrent: boolean;
  readonly until: number;
};

type Deletion = {
  readonly deleted: Deleted | null;
  readonly remove: (session: SessionSummary) => void;
  readonly undo: () => void;
  /** Ends the time to undo. */
  readonly forget: () => void;
};

const undoMs = 10_000;

/** Deletes sessions and undoes that. */
function useDeletion(options: {
  readonly currentId: string;
  readonly open: (id: string) => void;
  readonly openNew: () => void;
  /** Called with null when a new action starts. */
  readonly onError: (error: Error | null) => void;
}): Deletion {
  const { currentId, open, openNew, onError } = options;
  const deletion = useDeleteSession();
  const { common, hiddenCharacters } = useTexts();
  const [deleted, setDeleted] = useState<Deleted | null>(null);
  return {
    deleted,
    remove({ id, title }) {
      const wasCurrent = id === currentId;
      const until = Date.now() + undoMs;
      onError(null);
      setDeleted({ id, title: visibleText(title, hiddenCharacters) || common.newSession, wasCurrent, until });
      if (wasCurrent) openNew();
      deletion.mutateAsync(id).catch((thrown: Error) => {
        setDeleted((now) => (now?.id === id ? null : now));
        onError(thrown);
      });
    },
    undo() {
      if (deleted === null) return;
      const { id, wasCurrent } = deleted;
      setDeleted(null);
      deletion.restore.mutateAsync(id).then(() => {
        if (wasCurrent) open(id);
      }, onError);
    },
    forget: () => setDeleted(null),
  };
}
