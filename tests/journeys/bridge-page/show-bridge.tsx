import { type AgentDefinition, createAgentSession } from '@vitrine/core';
import { indexedDBSessions } from '@vitrine/persist';
import { aguiAgent } from '@vitrine/ag-ui';
import { AgentDevtools } from '@vitrine/devtools';
import { browserSessions, useAgent } from '@vitrine/react';
import { Chat } from '@vitrine/react/components';
import theme from '@vitrine/react/theme.css?inline';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { clerk } from './clerk.ts';
import { ThreadPage } from './thread-page.tsx';
import { UseChatPage } from './use-chat-page.tsx';

/**
 * Shows a stored chat. `use-chat` and `thread` are those of other libraries over a session of the clerk, `ag-ui` is ours
 * over the AG-UI backend of this page's server.
 */
export async function showBridge(name: string): Promise<void> {
  const host = document.createElement(name === 'ag-ui' ? 'div' : 'main');
  document.body.replaceChildren(host);
  createRoot(host).render(name === 'ag-ui' ? remoteChat() : await localChat(name));
}

async function localChat(name: string): Promise<ReactNode> {
  const session = createAgentSession({ agent: clerk, sessions: indexedDBSessions(), sessionId: name });
  await session.ready;
  // The test asks it for what is saved.
  Object.assign(window, { session });
  return name === 'thread' ? <ThreadPage session={session} /> : <UseChatPage session={session} />;
}

function remoteChat(): ReactNode {
  document.head.append(Object.assign(document.createElement('style'), { textContent: theme }));
  const agent = aguiAgent({ name: 'remote', url: '/agent' });
  return (
    <>
      <Chat agent={agent} sessions={stored} sessionId="ag-ui" />
      <Saving agent={agent} />
      <AgentDevtools initialIsOpen position="right" />
    </>
  );
}

const stored = browserSessions();

/** Says whether the chat is saved, which a test waits for before it reloads the page. */
function Saving({ agent }: { readonly agent: AgentDefinition }): ReactNode {
  const { persistence, status } = useAgent(agent, { sessions: stored, sessionId: 'ag-ui' });
  return <output>{`${status}, ${persistence.status}`}</output>;
}
