'use client';

import { isAgentError } from '@vitrine/core';
import { type ReactNode, useDeferredValue, useRef, useState } from 'react';
import { useSessions } from '../../hooks/use-sessions.ts';
import { Button, Icon } from '../kit/icon-button.tsx';
import { useKeptFocus } from '../kit/keyboard.ts';
import { isFailedImport, usePersonSentence } from '../kit/use-person-sentence.ts';
import { newSessionId } from '../kit/new-session-id.ts';
import { useTexts } from '../texts-provider.tsx';
import { daysOf, useToday } from './days-of.ts';
import { useSessionImport } from './session-import.tsx';
import { SessionItem } from './session-item.tsx';
import { useSessionDeletion } from './use-session-deletion.tsx';

type SessionListProps = {
  /** The id of the open session, which the list marks. */
  readonly currentId: string;
  /** Opens a session. `isNew` is true for a new one, of which nothing is stored. */
  readonly onOpen: (id: string, isNew: boolean) => void;
  /** Shown below the sessions. */
  readonly children?: ReactNode;
};

const pageLength = 50;

/**
 * The stored sessions by day, with search, rename, export, import, and delete with undo. Files that are dropped on it are
 * imported: exported sessions, and conversations of other applications.
 *
 * Render it above `<AgentSessionProvider>`, so that it stays when another session is opened.
 */
export function SessionList({ currentId, onOpen, children }: SessionListProps): ReactNode {
  const [failure, setFailure] = useState<Error | null>(null);
  const open = (id: string): void => onOpen(id, false);
  const openNew = (): void => onOpen(newSessionId(), true);
  const { remove, toast } = useSessionDeletion({ currentId, onOpen, onError: setFailure });
  const imports = useSessionImport({ onOpen: open, onError: setFailure });
  const [words, setWords] = useState('');
  const search = useDeferredValue(words.trim());
  const query = { limit: pageLength, ...(search !== '' && { search }) };
  const { data, error, hasNextPage, fetchNextPage } = useSessions(query);
  const today = useToday();
  const say = usePersonSentence();
  const { common, failures, sessions: texts } = useTexts();

  const problem = error ?? failure;
  const isMissing = isFailedImport({ code: null, message: problem?.message ?? '' });
  const area = useRef<HTMLDivElement>(null);
  useKeptFocus(area, firstButton);
  return (
    // `display: contents`, because the element only groups the list and the toast.
    <div ref={area} className="vitrine-session-area" style={{ display: 'contents' }}>
      <nav className="vitrine-sessions" aria-label={texts.label} {...imports.dropArea}>
        <div className="vitrine-session-actions">
          <Button className="vitrine-new-session" onClick={openNew}>
            <Icon name="plus" /> {common.newSession}
          </Button>
          {imports.button}
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
            {isAgentError(problem) ? say(problem) : isMissing ? failures.missingPart : problem.message}
          </p>
        )}
        {imports.report}
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
          <Button className="vitrine-quiet" onClick={() => void fetchNextPage()}>
            {texts.showOlder}
          </Button>
        )}
        {children}
      </nav>
      {toast}
    </div>
  );
}

function firstButton(area: HTMLElement): HTMLElement | null {
  return area.querySelector<HTMLElement>('[aria-current=page]') ?? area.querySelector('button');
}
