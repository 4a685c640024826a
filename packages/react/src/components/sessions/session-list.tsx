'use client';

import { isAgentError } from '@vitrine/core';
import { type ReactNode, useDeferredValue, useRef, useState } from 'react';
import { useSessions } from '../../hooks/use-sessions.ts';
import { isFailedImport } from '../kit/failed-import.ts';
import { Icon } from '../kit/icon.tsx';
import { useKeptFocus } from '../kit/use-kept-focus.ts';
import { usePersonSentence } from '../kit/use-person-sentence.ts';
import { useTexts } from '../texts-provider.tsx';
import { daysOf } from './days-of.ts';
import { ImportButton } from './import-button.tsx';
import { SessionItem } from './session-item.tsx';
import { UndoToast } from './undo-toast.tsx';
import { useDeletion } from './use-deletion.ts';
import { useToday } from './use-today.ts';

/** Props of `SessionList`. */
export type SessionListProps = {
  readonly currentId: string;
  /** Opens a session; a new one when there is no id. */
  readonly onOpen: (id?: string) => void;
};

const pageLength = 50;

/**
 * The stored sessions by day, with search, rename, export, import, and delete with undo.
 *
 * Render it above `<AgentSession>`, so that it stays when another session is opened.
 */
export function SessionList({ currentId, onOpen }: SessionListProps): ReactNode {
  const [failure, setFailure] = useState<Error | null>(null);
  const { deleted, remove, undo, forget } = useDeletion({ currentId, onOpen, onError: setFailure });
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
    <div ref={area} style={{ display: 'contents' }}>
      <nav className="vitrine-sessions" aria-label={texts.label}>
        <div className="vitrine-session-actions">
          <button type="button" className="vitrine-button vitrine-new-session" onClick={() => onOpen()}>
            <Icon name="plus" /> {common.newSession}
          </button>
          <ImportButton onOpen={onOpen} onError={setFailure} />
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
                  onOpen={onOpen}
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
