import { AgentProvider, useSessions } from '@vitrine/react';
import { VisibleText } from '@vitrine/react/components';
import type { ReactNode } from 'react';
import { serverSessions } from './server-sessions.ts';

export type ServerListProps = {
  readonly currentId: string;
  readonly onOpen: (sessionId: string, isNew: boolean) => void;
  /** The ids of sessions that are listed elsewhere. */
  readonly without: readonly string[];
};

/** The sessions on the server, below those of this browser. */
export function ServerList(props: ServerListProps): ReactNode {
  return (
    <AgentProvider sessions={serverSessions}>
      <Items {...props} />
    </AgentProvider>
  );
}

function Items({ currentId, onOpen, without }: ServerListProps): ReactNode {
  const { data = [], error } = useSessions();
  const shown = data.filter(({ id }) => !without.includes(id));
  if (shown.length === 0 && error === null) return null;
  return (
    <section aria-label="On the server">
      <h2 className="vitrine-day">On the server</h2>
      {error !== null && <p className="vitrine-hint">The server cannot be reached.</p>}
      <ul className="vitrine-session-list">
        {shown.map(({ id, title }) => (
          <li key={id} className="vitrine-session" data-current={id === currentId}>
            <button
              type="button"
              className="vitrine-session-link"
              aria-current={id === currentId ? 'page' : undefined}
              onClick={() => onOpen(id, false)}
            >
              <span className="vitrine-session-title" dir="auto">
                <VisibleText text={title || 'New session'} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
