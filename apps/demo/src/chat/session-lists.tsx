import { AgentProvider, type SessionStore } from '@vitrine/react';
import { SessionList } from '@vitrine/react/components';
import type { ReactNode } from 'react';
import { afterBox } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { useKnownSessions } from '../server/load-server.ts';
import type { ServerListProps } from '../server/server-list.tsx';

const ServerList = later<ServerListProps>({
  load: async () => (await afterBox(() => import('../server/server-list.tsx'))).ServerList,
});

type SessionListsProps = ServerListProps & {
  /** The sessions of this browser. */
  readonly sessions: SessionStore;
};

/** The sessions of this browser, and those on the server once there was one. */
export function SessionLists({ sessions, ...props }: SessionListsProps): ReactNode {
  const hasKnown = useKnownSessions().length > 0;
  return (
    <AgentProvider sessions={sessions}>
      <SessionList {...props}>{hasKnown && <ServerList {...props} />}</SessionList>
    </AgentProvider>
  );
}
