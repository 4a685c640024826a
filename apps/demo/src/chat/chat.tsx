import { Activity, Approvals, Composer, Conversation, Notices } from '@vitrine/react/components';
import type { ReactNode } from 'react';
import { type AgentCard, toolViews } from '../agents/agents.ts';
import { Guide } from '../guide/guide.tsx';
import { EmptyState } from './empty-state.tsx';
import { Markdown } from './lazy-markdown.tsx';

type ChatProps = {
  /** Who answers. */
  readonly card: AgentCard;
  readonly onChoose: (id: string) => void;
  readonly onOpen: (sessionId: string) => void;
  /** Shows where limits are set. */
  readonly onLimits: () => void;
};

/** The conversation, what there is to say about it, and the message box. */
export function Chat({ card, onChoose, onOpen, onLimits }: ChatProps): ReactNode {
  return (
    <main className="chat">
      <Conversation
        Text={Markdown}
        tools={toolViews}
        empty={<EmptyState card={card} onChoose={onChoose} />}
        onFork={onOpen}
      >
        <Activity
          atLimit={
            <button type="button" className="vitrine-button" onClick={onLimits}>
              Change the limits
            </button>
          }
        />
        <Approvals />
      </Conversation>
      <div className="vitrine-column">
        {card.id === 'assistant' && <Guide />}
        <Notices />
        <Composer id="composer" />
      </div>
    </main>
  );
}
