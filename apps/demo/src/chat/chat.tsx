import { useMessageIds } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';
import { Approvals } from './approvals.tsx';
import { Composer } from './composer.tsx';
import { EmptyState } from './empty-state.tsx';
import { MessageView } from './message-view.tsx';
import { Notices } from './notices.tsx';
import { RunStatus } from './run-status.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

/** The conversation. Every message subscribes to itself, so that streaming one leaves the others alone. */
export function Chat(): ReactNode {
  const ids = useMessageIds();
  const { scroller, content, isAtBottom, scrollToBottom } = useStickToBottom();
  return (
    <main className="chat">
      <div className="messages" ref={scroller} tabIndex={0} aria-label="Conversation" role="region">
        <div className="column" ref={content}>
          {ids.length === 0 && <EmptyState />}
          {ids.map((id) => (
            <MessageView key={id} id={id} />
          ))}
          <RunStatus />
          <Approvals />
        </div>
      </div>
      {!isAtBottom && (
        <button
          className="icon-button to-bottom"
          aria-label="Jump to the latest message"
          onClick={scrollToBottom}
        >
          <Icon name="down" />
        </button>
      )}
      <div className="column">
        <Notices />
        <Composer onSend={scrollToBottom} />
      </div>
    </main>
  );
}
