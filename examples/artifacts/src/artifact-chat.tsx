import { type AgentDefinition, AgentSessionProvider, browserSessions } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import { useEffect, useState } from 'react';
import { ArtifactPanel } from './artifact-panel.tsx';

const sessions = browserSessions();

/** A chat and, beside it, the artifacts of the open session. The agent has the plugin `artifacts`. */
export function ArtifactChat({ agent }: { readonly agent: AgentDefinition }) {
  const [sessionId, setSessionId] = useState(() => sessionStorage.getItem('open') ?? crypto.randomUUID());
  // A reload shows the same session.
  useEffect(() => sessionStorage.setItem('open', sessionId), [sessionId]);
  return (
    <main className="beside">
      <h1>A chat with artifacts</h1>
      <Chat agent={agent} sessions={sessions} sessionId={sessionId} onOpen={setSessionId} layout="box" />
      {/* The session of the chat: both name it. */}
      <AgentSessionProvider key={sessionId} agent={agent} sessions={sessions} sessionId={sessionId}>
        <ArtifactPanel />
      </AgentSessionProvider>
    </main>
  );
}
