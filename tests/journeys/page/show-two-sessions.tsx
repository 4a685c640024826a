import { AgentProvider, AgentSessionProvider, AgentState, defineAgent, memorySessions } from '@vitrine/react';
import { ConversationView } from '@vitrine/react/components';
import { scriptedInference } from '@vitrine/testing';
import { type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const agent = defineAgent({ name: 'a', systemPrompt: 'S', inference: scriptedInference([{ text: 'Yes' }]) });
const sessions = memorySessions();

function said(by: string): AgentState {
  return Array.from({ length: 60 }).reduce<AgentState>(
    (state, _, at) => AgentState.withUserMessage(state, `${by} ${at}`),
    AgentState.create(),
  );
}
const first = { one: said('One'), two: said('Two') };

function Page(): ReactNode {
  const [id, setId] = useState<keyof typeof first>('one');
  return (
    <AgentProvider sessions={sessions}>
      <div style={{ display: 'flex', flexDirection: 'column', blockSize: '100vh' }}>
        <button onClick={() => setId(id === 'one' ? 'two' : 'one')}>The other session</button>
        <AgentSessionProvider agent={agent} sessionId={id} initialState={first[id]}>
          <ConversationView />
        </AgentSessionProvider>
      </div>
    </AgentProvider>
  );
}

/** Two sessions in one place, one of which is shown. */
export function showTwoSessions(): void {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  createRoot(host).render(<Page />);
}
