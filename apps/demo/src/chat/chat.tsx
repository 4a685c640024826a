import { Activity, Composer, Conversation, Notices, type ToolView } from '@vitrine/react/components';
import { usePendingApprovals } from '@vitrine/react';
import { type ReactNode, useEffect } from 'react';
import type { AgentCard } from '../agents/agent-cards.ts';
import { useSettings } from '../settings/use-settings.ts';
import { afterBox, tellBoxIsThere } from '../shell/after-box.ts';
import { later } from '../shell/later.tsx';
import { EmptyState } from './empty-state.tsx';
import { Markdown } from './lazy-markdown.tsx';

const Approvals = later({
  load: async () => (await import('./approvals.ts')).Approvals,
  name: 'What asks for your approval',
});
const Decisions = later({
  load: async () => (await afterBox(() => import('./approvals.ts'))).RememberedDecisions,
});
const Guide = later({
  load: async () => (await afterBox(() => import('../guide/guide.tsx'))).Guide,
});

type ChatProps = {
  /** Who answers. */
  readonly card: AgentCard;
  /** The interfaces of its tools. */
  readonly views: readonly ToolView[];
  /** The session may be stored, and not be here yet. */
  readonly mayBeStored: boolean;
  readonly onChoose: (id: string) => void;
  readonly onOpen: (sessionId: string) => void;
  /** Shows where limits are set. */
  readonly onLimits: () => void;
};

/** The conversation, what there is to say about it, and the message box. */
export function Chat(props: ChatProps): ReactNode {
  const { card, views, mayBeStored, onChoose, onOpen, onLimits } = props;
  const { guide } = useSettings();
  const isWaiting = usePendingApprovals().length > 0;
  useEffect(tellBoxIsThere, []);
  return (
    <main className="chat">
      <Conversation
        Text={Markdown}
        tools={views}
        empty={<EmptyState card={card} mayBeStored={mayBeStored} onChoose={onChoose} />}
        onFork={onOpen}
      >
        <Activity
          atLimit={
            <button type="button" className="vitrine-button" onClick={onLimits}>
              Change the limits
            </button>
          }
        />
        {isWaiting && <Approvals />}
      </Conversation>
      <div className="vitrine-column">
        {card.id === 'assistant' && guide !== null && <Guide />}
        <Decisions />
        <Notices />
        <Composer id="composer" />
      </div>
    </main>
  );
}
