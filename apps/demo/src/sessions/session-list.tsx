import { useSessions } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';
import { SessionItem } from './session-item.tsx';

type SessionListProps = { readonly currentId: string; readonly onOpen: (id?: string) => void };

export function SessionList({ currentId, onOpen }: SessionListProps): ReactNode {
  const { data: sessions, error } = useSessions();
  return (
    <nav className="sidebar" aria-label="Sessions">
      <button className="button new-session" onClick={() => onOpen()}>
        <Icon name="plus" /> New session
      </button>
      {error && <p className="hint">Sessions cannot be read: {error.message}</p>}
      {sessions?.length === 0 && (
        <p className="hint">Sessions are kept in this browser. There are none yet.</p>
      )}
      <ul className="session-list">
        {sessions?.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            isCurrent={session.id === currentId}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </nav>
  );
}
