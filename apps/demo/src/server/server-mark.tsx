import { useAgentSession, useAgentStatus, useMessageIds } from '@vitrine/react';
import { PlaceMark } from '@vitrine/react/components';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { markOnServer } from './known-sessions.ts';
import { loadServer } from './load-server.ts';
import { serverAgents, serverSessions, serverSessionsChanged } from './server-sessions.ts';

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

/** The button that moves the session to the server, with its run. One of which nothing is stored only begins there. */
function SendButton({ sessionId, agentId }: Omit<ServerMarkProps, 'isOnServer'>): ReactNode {
  const { status } = useAgentStatus();
  const { moveTo, store } = useAgentSession();
  const isEmpty = useMessageIds().length === 0;
  const [agents, setAgents] = useState<readonly string[]>([]);
  const [progress, setProgress] = useState<'none' | 'moving' | 'failed'>('none');
  useEffect(() => {
    let isShown = true;
    void serverAgents().then((found) => isShown && setAgents(found));
    return () => {
      isShown = false;
    };
  }, []);
  const isOnItsWay = status !== 'loading' && store.getState().movedTo?.isThere === false;
  const send = async (): Promise<void> => {
    if (progress === 'moving') return;
    setProgress('moving');
    try {
      if (!isEmpty) await moveTo(serverSessions);
      await loadServer();
      markOnServer(sessionId);
    } catch {
      // The reason says whether it stays here or is on its way; in both cases the button finishes it.
      setProgress('failed');
    }
  };
  const finish = useEffectEvent(() => void send());
  // A page that died in the middle of a move has left a session that runs nowhere.
  useEffect(() => {
    if (!isOnItsWay) return undefined;
    const timer = setTimeout(finish);
    return () => clearTimeout(timer);
  }, [isOnItsWay]);
  const isOffered = isOnItsWay || agents.includes(agentId);
  if (!isOffered || status === 'loading' || status === 'deleted') return null;
  return (
    <>
      <button
        type="button"
        className="vitrine-button send-away"
        title="It goes on there when you close this page."
        aria-busy={progress === 'moving'}
        onClick={() => void send()}
      >
        {progress === 'moving' ? 'Sending…' : 'Run on the server'}
      </button>
      {progress === 'failed' && (
        <span className="send-problem" role="alert">
          The server did not take it.
        </span>
      )}
    </>
  );
}
