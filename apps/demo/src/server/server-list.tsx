import { AgentProvider, type SessionSummary, useSessions, systemEnv } from '@vitrine/react';
import { texts, useSessionDeletion, visibleText, VisibleText } from '@vitrine/react/components';
import { type ReactNode, useState } from 'react';
import { createPortal } from 'react-dom';
import { Icon } from '../kit/icon.tsx';
import { forgetOnServer } from './known-sessions.ts';
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
  const [failure, setFailure] = useState<Error | null>(null);
  const { remove, toast } = useSessionDeletion({
    // The open one stays shown as deleted: another one is another chat, and would take the offer to undo away.
    currentId: '',
    onOpen,
    onError: setFailure,
    onGone(id) {
      forgetOnServer(id);
      if (id === currentId) onOpen(systemEnv.id(), true);
    },
  });
  const shown = data.filter(({ id }) => !without.includes(id));
  // Outside the list, which closes on a phone.
  const offer = toast && createPortal(toast, document.querySelector('.vitrine-chat') ?? document.body);
  const problem = error === null ? failure?.message : 'The server cannot be reached.';
  if (shown.length === 0 && problem === undefined) return offer;
  return (
    <section aria-label="On the server">
      <h2 className="vitrine-day">On the server</h2>
      {problem !== undefined && <p className="vitrine-hint">{problem}</p>}
      <ul className="vitrine-session-list">
        {shown.map((session) => (
          <Item
            key={session.id}
            session={session}
            isCurrent={session.id === currentId}
            onOpen={() => onOpen(session.id, false)}
            onDelete={() => remove(session)}
          />
        ))}
      </ul>
      {offer}
    </section>
  );
}

type ItemProps = {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
};

function Item({ session, isCurrent, onOpen, onDelete }: ItemProps): ReactNode {
  const title = session.title || 'New session';
  const label = texts.sessions.delete(visibleText(title, texts.hiddenCharacters));
  return (
    <li className="vitrine-session" data-current={isCurrent}>
      <button
        type="button"
        className="vitrine-session-link"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onOpen}
      >
        <span className="vitrine-session-title" dir="auto">
          <VisibleText text={title} />
        </span>
      </button>
      <button
        type="button"
        className="vitrine-icon-button"
        aria-label={label}
        title={label}
        onClick={onDelete}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}
