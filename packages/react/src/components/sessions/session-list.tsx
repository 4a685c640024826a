'use client';

import { isAgentError, type SessionSummary } from '@vitrine/core';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useSessions } from '../../hooks/use-sessions.ts';
import { Button, Icon } from '../kit/icon-button.tsx';
import { useKeptFocus } from '../kit/keyboard.ts';
import { newSessionId } from '../kit/new-session-id.ts';
import { isFailedImport, usePersonSentence } from '../kit/use-person-sentence.ts';
import { useTexts } from '../texts-provider.tsx';
import type { UsedTexts } from '../texts.ts';
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

type Days = { readonly name: string; readonly sessions: readonly SessionSummary[] };

const dayMs = 24 * 60 * 60 * 1000;

/** Groups sessions, newest first, by the time of their last message relative to `now`. */
export function daysOf(
  sessions: readonly SessionSummary[],
  now: number,
  texts: UsedTexts['sessions'],
): readonly Days[] {
  const groups: { name: string; sessions: SessionSummary[] }[] = [];
  for (const session of sessions) {
    const name = nameOf(session.updatedAt, now, texts);
    const last = groups.at(-1);
    if (last?.name === name) last.sessions.push(session);
    else groups.push({ name, sessions: [session] });
  }
  return groups;
}

function nameOf(time: number, now: number, texts: UsedTexts['sessions']): string {
  // An unreadable session has no time.
  if (time === 0) return texts.notReadable;
  // Rounded, because a day has 23 or 25 hours when clocks change.
  const days = Math.round((startOfDay(now) - startOfDay(time)) / dayMs);
  if (days <= 0) return texts.today;
  if (days === 1) return texts.yesterday;
  if (days < 7) return texts.last7Days;
  if (days < 30) return texts.last30Days;
  return texts.month(new Date(time));
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** The current time, updated at midnight, because lists stay open for days. */
function useToday(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const midnight = new Date(now).setHours(24, 0, 0, 0);
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, midnight - Date.now()));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}
