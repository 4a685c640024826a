import { explainError, isAgentError, type SessionSummary, useSessions } from '@vitrine/react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Icon } from '../shell/icon.tsx';
import { daysOf } from './days-of.ts';
import { ImportButton } from './import-button.tsx';
import { SessionItem } from './session-item.tsx';

type SessionListProps = {
  readonly currentId: string;
  readonly onOpen: (id?: string) => void;
  readonly onDelete: (session: SessionSummary) => void;
  /** What went wrong last with a session of the list; kept above, for the list is made anew with another session. */
  readonly failure: Error | null;
  readonly onError: (error: Error | null) => void;
};

const pageLength = 50;

export function SessionList({ currentId, onOpen, onDelete, failure, onError }: SessionListProps): ReactNode {
  const [words, setWords] = useState('');
  const search = useDeferredValue(words.trim());
  const { data, error, hasNextPage, fetchNextPage } = useSessions({
    limit: pageLength,
    ...(search !== '' && { search }),
  });
  const [now] = useState(Date.now);

  const problem = error ?? failure;
  return (
    <nav className="sidebar" aria-label="Sessions">
      <div className="sidebar-actions">
        <button className="button new-session" onClick={() => onOpen()}>
          <Icon name="plus" /> New session
        </button>
        <ImportButton onOpen={onOpen} onError={onError} />
      </div>
      <input
        type="search"
        className="search-field"
        placeholder="Search"
        aria-label="Search sessions"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {problem && (
        <p className="hint problem" role="alert">
          {isAgentError(problem) ? explainError(problem).person : problem.message}
        </p>
      )}
      {data?.length === 0 && (
        <p className="hint">
          {search === '' ? 'Sessions are kept in this browser. There are none yet.' : 'Nothing was found.'}
        </p>
      )}
      {daysOf(data ?? [], now).map(({ name, sessions }) => (
        <section key={name} aria-label={name}>
          <h2 className="day">{name}</h2>
          <ul className="session-list">
            {sessions.map((session) => (
              <SessionItem
                key={session.id}
                session={session}
                isCurrent={session.id === currentId}
                onOpen={onOpen}
                onDelete={onDelete}
                onError={onError}
              />
            ))}
          </ul>
        </section>
      ))}
      {hasNextPage && (
        <button className="button quiet" onClick={() => void fetchNextPage()}>
          Show older sessions
        </button>
      )}
    </nav>
  );
}
