import { useAgentStatus, useMessageIds } from '@vitrine/react';
import { PlaceMark } from '@vitrine/react/components';
import { type ReactNode, useEffect, useState } from 'react';
import { markOnServer } from './known-sessions.ts';
import { loadServer } from './load-server.ts';
import { serverAgents, serverSessionsChanged } from './server-sessions.ts';

type ServerMarkProps = {
  readonly sessionId: string;
  readonly agentId: string;
  readonly isOnServer: boolean;
};

/** The place where the session runs; for one of this page, the button that sends it to the server. */
export function ServerMark({ sessionId, agentId, isOnServer }: ServerMarkProps): ReactNode {
  if (!isOnServer) return <SendButton sessionId={sessionId} agentId={agentId} />;
  return (
    <>
      <PlaceMark />
      <Changes />
    </>
  );
}

/** Keeps the list of the server's sessions up to date with the open one. Renders nothing. */
function Changes(): ReactNode {
  const { status, title } = useAgentStatus();
  useEffect(serverSessionsChanged, [status, title]);
  return null;
}

function SendButton({ sessionId, agentId }: Omit<ServerMarkProps, 'isOnServer'>): ReactNode {
  const { status } = useAgentStatus();
  const isEmpty = useMessageIds().length === 0;
  const [agents, setAgents] = useState<readonly string[]>([]);
  useEffect(() => {
    let isShown = true;
    void serverAgents().then((found) => isShown && setAgents(found));
    return () => {
      isShown = false;
    };
  }, []);
  if (!agents.includes(agentId) || !isEmpty || status !== 'ready') return null;
  return (
    <button
      type="button"
      className="vitrine-button send-away"
      title="It goes on there when you close this page."
      onClick={() => void loadServer().then(() => markOnServer(sessionId))}
    >
      Run on the server
    </button>
  );
}
