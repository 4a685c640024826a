import {
  AgentProvider,
  AgentSessionProvider,
  defineAgent,
  httpSessions,
  proxyInference,
} from '@vitrine/react';
import type { ConflictPolicy } from '@vitrine/core/types';
import { Activity, Composer, ConversationView, Notices } from '@vitrine/react/components';
import { type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const inference = proxyInference({ url: '/api' });
const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference });

type DeviceProps = {
  readonly headers: Readonly<Record<string, string>>;
  readonly sessionId: string;
  readonly onConflict: ConflictPolicy;
};

/** A column of an application, beside the panel of the demo. */
const column = {
  position: 'fixed',
  inset: '0 var(--vitrine-devtools-right, 0px) 0 0',
  display: 'flex',
  flexDirection: 'column',
} as const;

function Device({ headers, sessionId, onConflict }: DeviceProps): ReactNode {
  const [sessions] = useState(() => httpSessions({ url: '/devices', headers }));
  const [shown, setShown] = useState(sessionId);
  return (
    <AgentProvider sessions={sessions}>
      <AgentSessionProvider agent={agent} sessionId={shown} onConflict={onConflict}>
        <main style={column}>
          <h1 className="vitrine-unseen">{shown}</h1>
          <ConversationView>
            <Activity />
          </ConversationView>
          <Notices onFork={setShown} />
          <Composer />
        </main>
      </AgentSessionProvider>
    </AgentProvider>
  );
}

/** Shows a session of a server in the place of the page that is there. */
export function showDevice(props: DeviceProps): void {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  createRoot(host).render(<Device {...props} />);
}
