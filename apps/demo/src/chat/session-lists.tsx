import { AgentProvider, type SessionStore, useSessions } from '@vitrine/react';
import { SessionList } from '@vitrine/react/components';
import type { ReactNode } from 'react';
import { afterBox } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { useKnownSessions } from '../server/load-server.ts';
import type { ServerListProps } from '../server/server-list.tsx';

const ServerList = later<ServerListProps>({
  load: async () => (await afterBox(() => import('../server/server-list.tsx'))).ServerList,
});

type SessionListsProps = Omit<ServerListProps, 'without'> & {
  /** The sessions of this browser. */
  readonly sessions: SessionStore;
};

/** The sessions of this browser, and those on the server once there was one. */
export function SessionLists({ sessions, ...props }: SessionListsProps): ReactNode {
  const hasKnown = useKnownSessions().length > 0;
  return (
    <AgentProvider sessions={sessions}>
      <SessionList {...props}>{hasKnown && <Others {...props} />}</SessionList>
    </AgentProvider>
  );
}

/** The sessions on the server of which this browser has no copy. */
function Others(props: Omit<ServerListProps, 'without'>): ReactNode {
  const { data = [] } = useSessions();
  return <ServerList {...props} without={data.map(({ id }) => id)} />;
}
