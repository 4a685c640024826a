'use client';

import { type AgentDefinition, AgentSessionProvider, type UseAgentOptions } from '@vitrine/react';
import { Approvals, Notices } from '@vitrine/react/components';
import '@vitrine/react/theme.css';
import type { ReactNode } from 'react';
import { ChatMessageBox } from './chat-message-box.tsx';
import { ChatMessages } from './chat-messages.tsx';

/** A chat with an agent. It is yours: change the layout here, and the parts in the files beside it. */
export function Chat({
  agent,
  ...options
}: UseAgentOptions & { readonly agent: AgentDefinition }): ReactNode {
  return (
    <AgentSessionProvider agent={agent} {...options}>
      <main className="bg-background text-foreground flex h-dvh min-w-0 flex-1 flex-col">
        <ChatMessages />
        <div className="mx-auto w-full max-w-3xl px-4 pb-4">
          <Approvals />
          <Notices />
          <ChatMessageBox />
        </div>
      </main>
    </AgentSessionProvider>
  );
}
