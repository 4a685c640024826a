import { useAgentState, useMessageIds } from '@vitrine/react';
import type { ReactNode } from 'react';
import { Icon } from '../shell/icon.tsx';
import { Approvals } from './approvals.tsx';
import { Composer } from './composer.tsx';
import { EmptyState } from './empty-state.tsx';
import { endsOfAnswers } from './ends-of-answers.ts';
import { MessageView } from './message-view.tsx';
import { Notices } from './notices.tsx';
import { RunStatus } from './run-status.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

/** The conversation. Every message subscribes to itself, so that streaming one leaves the others alone. */
export function Chat({ onOpen }: { readonly onOpen: (sessionId: string) => void }): ReactNode {
  const ids = useMessageIds();
  const ends = useAgentState(endsOfAnswers);
  const { scroller, content, isAtBottom, scrollToBottom } = useStickToBottom();
  return (
    <main className="chat">
      <div className="messages" ref={scroller} tabIndex={0} aria-label="Conversation" role="region">
        <div className="column" ref={content}>
          {ids.length === 0 && <EmptyState />}
          {ids.map((id, place) => (
            // By its place: where another branch is shown, the arrow that led there keeps the focus.
            <MessageView
              key={place}
              id={id}
              isEnd={ends.has(id)}
              isLast={place === ids.length - 1}
              onOpen={onOpen}
            />
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
