import { browserSessions, type SessionStore, useAgentSession } from '@vitrine/react';
import { Chat, PlaceMark } from '@vitrine/react/components';
import { agentServer } from '@vitrine/react/server';
import { type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClerk, pause } from './clerk.ts';

type ServerProps = {
  readonly headers: Readonly<Record<string, string>>;
  readonly sessionId: string;
  /** The person to whom the session belongs. */
  readonly owner: string;
  /** True for a session that begins in this page. */
  readonly isHere: boolean;
};

// Its first step ends a while after a person has sent the session away, on a busy machine too.
let send = (): void => undefined;
const sent = new Promise<void>((resolve) => (send = resolve));
const clerk = createClerk({
  deed: () => undefined,
  found: () => sent.then(() => pause(5000)),
  payMs: 0,
});

function Page({ headers, sessionId, owner, isHere }: ServerProps): ReactNode {
  const [there] = useState(() => agentServer({ url: '/devices', headers }).sessionsOf(owner));
  const [here] = useState(() => browserSessions());
  const [isMoved, setMoved] = useState(!isHere);
  return (
    <Chat
      key={String(isMoved)}
      agent={clerk}
      sessions={isMoved ? there : here}
      sessionId={sessionId}
      list={null}
      header={
        <>
          <h1 className="vitrine-title">{sessionId}</h1>
          {isMoved ? <PlaceMark /> : <MoveButton to={there} onMoved={() => setMoved(true)} />}
        </>
      }
    />
  );
}

function MoveButton(props: { readonly to: SessionStore; readonly onMoved: () => void }): ReactNode {
  const { moveTo } = useAgentSession();
  const onClick = (): void => {
    void moveTo(props.to).then(props.onMoved);
    send();
  };
  return (
    <button className="vitrine-button" onClick={onClick}>
      Run on the server
    </button>
  );
}

/** Shows a session of a server in the place of the demo, beside its panel. */
export function showServer(props: ServerProps): void {
  const host = document.createElement('div');
  document.getElementById('root')!.replaceWith(host);
  createRoot(host).render(<Page {...props} />);
}
