// What a stranger writes against the published packages; type-checked against the tarballs.
import { AgentState, createAgentLoop } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { AgentDevtools } from '@vitrine/devtools';
import { createInferenceProxy } from '@vitrine/proxy';
import { offlineModel } from '@vitrine/proxy/offline';
import { AgentSessionProvider, defineAgent, useAgent, useMessage, useMessageIds } from '@vitrine/react';
import type { ReactNode } from 'react';

const agent = defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference([{ text: 'Hello' }]) });
const loop = createAgentLoop(agent);
const state: AgentState = await loop.execute(AgentState.withUserMessage(AgentState.create(), 'Hi'));
export const reason: string | null = AgentState.stopReason(state);
export const proxy: { fetch: (request: Request) => Promise<Response> } = createInferenceProxy({
  models: [offlineModel()],
});

export function Chat(): ReactNode {
  const { messages, status, sendMessage } = useAgent(agent, { sessionId: 'one' });
  return (
    <AgentSessionProvider agent={agent}>
      <button disabled={status === 'streaming'} onClick={() => void sendMessage('Hi')}>
        {messages.length}
      </button>
      <List />
      <AgentDevtools initialIsOpen position="right" />
    </AgentSessionProvider>
  );
}

function List(): ReactNode {
  return useMessageIds().map((id) => <Item key={id} id={id} />);
}

function Item({ id }: { readonly id: string }): ReactNode {
  return <p>{useMessage(id)?.parts.length}</p>;
}
