import {
  explainError,
  isAgentError,
  type SessionSummary,
  useDeleteSession,
  useSessions,
} from '@vitrine/react';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { Icon } from '../shell/icon.tsx';
import { daysOf } from './days-of.ts';
import { ImportButton } from './import-button.tsx';
import { SessionItem } from './session-item.tsx';
import { UndoToast } from './undo-toast.tsx';

/** What was deleted last, and until when it can be brought back. */
export type Deleted = {
  readonly id: string;
  readonly title: string;
  readonly wasCurrent: boolean;
  readonly until: number;
};

type SessionListProps = {
  readonly currentId: string;
  readonly onOpen: (id?: string) => void;
  /** Kept above: the list is made anew with another session. */
  readonly deleted: Deleted | null;
  readonly setDeleted: (deleted: Deleted | null) => void;
};

const pageLength = 50;
const undoMs = 10_000;

export function SessionList({ currentId, onOpen, deleted, setDeleted }: SessionListProps): ReactNode {
  const [words, setWords] = useState('');
  const search = useDeferredValue(words.trim());
  const { data, error, hasNextPage, fetchNextPage } = useSessions({
    limit: pageLength,
    ...(search !== '' && { search }),
  });
  const [failure, setFailure] = useState<Error | null>(null);
  const remove = useDeleteSession();
  const [now] = useState(Date.now);

  const onDelete = ({ id, title }: SessionSummary): void => {
    const wasCurrent = id === currentId;
    setFailure(null);
    setDeleted({ id, title: title || 'New session', wasCurrent, until: Date.now() + undoMs });
    if (wasCurrent) onOpen();
    remove.mutate(id, {
      onError(thrown) {
        setDeleted(null);
        setFailure(thrown);
      },
    });
  };
  const onUndo = ({ id, wasCurrent }: Deleted): void => {
    setDeleted(null);
    remove.restore.mutate(id, {
      onSuccess: () => wasCurrent && onOpen(id),
      onError: setFailure,
    });
  };
  const problem = error ?? failure;
  return (
    <nav className="sidebar" aria-label="Sessions">
      <div className="sidebar-actions">
        <button className="button new-session" onClick={() => onOpen()}>
          <Icon name="plus" /> New session
        </button>
        <ImportButton onOpen={onOpen} onError={setFailure} />
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
                onError={setFailure}
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
      {deleted && (
        <UndoToast
          key={deleted.id}
          title={deleted.title}
          until={deleted.until}
          onUndo={() => onUndo(deleted)}
          onEnd={() => setDeleted(null)}
        />
      )}
    </nav>
  );
}
