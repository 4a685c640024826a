import {
  AgentProvider,
  AgentSessionProvider,
  defineAgent,
  indexedDBSessions,
  useAgent,
} from '@vitrine/react';
import { ConversationView, Notices } from '@vitrine/react/components';
import { scriptedInference } from '@vitrine/testing';
import { type ReactNode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import * as z from 'zod';

const sessions = indexedDBSessions({ name: 'hostile-output' });

/** An answer as data beside the chat that it stands in. */
function Page({ agent, asks }: { agent: ReturnType<typeof agentOf>; asks: boolean }): ReactNode {
  const { output, sendMessage, persistence, messages, status } = useAgent(agent, {
    sessionId: 'hostile',
    sessions,
  });
  useEffect(() => {
    if (asks) void sendMessage('Say something that is hard to read');
  }, [asks, sendMessage]);
  const depth = JSON.stringify(output?.partial ?? null).lastIndexOf('[') + 1;
  return (
    <p>{`${messages.length} messages, ${depth} levels, final ${JSON.stringify(output?.final ?? null)}, ${status}, ${persistence.status}`}</p>
  );
}

function agentOf(answer: string) {
  return defineAgent({
    name: 'a',
    systemPrompt: 'S',
    inference: scriptedInference([{ text: answer, chunks: 50 }]),
    responseFormat: z.object({ items: z.array(z.number()) }),
    retry: { maxOutputRetries: 0 },
  });
}

/** Shows a session in which a model answers with the text; asks for it unless the answer is there already. */
export function showHostileOutput(answer: string, asks: boolean): void {
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const agent = agentOf(answer);
  createRoot(host).render(
    <AgentProvider sessions={sessions}>
      <Page agent={agent} asks={asks} />
      <AgentSessionProvider agent={agent} sessionId="hostile">
        <ConversationView />
        <Notices />
      </AgentSessionProvider>
    </AgentProvider>,
  );
}
