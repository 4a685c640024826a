import { Activity, Approvals, Composer, Conversation, Notices } from '@vitrine/react/components';
import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { Markdown } from './markdown.tsx';

/** The conversation, what there is to say about it, and the message box. */
export function Chat({ onOpen }: { readonly onOpen: (sessionId: string) => void }): ReactNode {
  return (
    <main className="chat">
      <Conversation Text={Markdown} empty={<EmptyState />} onFork={onOpen}>
        <Activity />
        <Approvals />
      </Conversation>
      <div className="vitrine-column">
        <Notices />
        <Composer id="composer" />
      </div>
    </main>
  );
}
