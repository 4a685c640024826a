import { Activity, Composer, ConversationView, Notices, type ToolView } from '@vitrine/react/components';
import { usePendingApprovals } from '@vitrine/react';
import { type ReactNode, useEffect } from 'react';
import type { AgentCard } from '../agents/agent-cards.ts';
import { useSettings } from '../settings/use-settings.ts';
import { afterBox, markBoxReady } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { EmptyState } from './empty-state.tsx';
import { Markdown } from '../kit/lazy-markdown.tsx';

const Approvals = later({
  load: async () => (await import('./approvals.ts')).Approvals,
  name: 'The approval form',
});
const Decisions = later({
  load: async () => (await afterBox(() => import('./approvals.ts'))).RememberedDecisions,
});
const Guide = later({
  load: async () => (await afterBox(() => import('../guide/guide.tsx'))).Guide,
});

type ChatProps = {
  /** The agent of the session. */
  readonly card: AgentCard;
  /** The custom interfaces of its tools. */
  readonly views: readonly ToolView[];
  /** True if the session may be stored but not loaded yet. */
  readonly mayBeStored: boolean;
  readonly onChoose: (id: string) => void;
  readonly onOpen: (sessionId: string) => void;
  /** Opens the settings of the limits. */
  readonly onLimits: () => void;
};

/** The conversation with its notices, and the message box. */
export function Chat(props: ChatProps): ReactNode {
  const { card, views, mayBeStored, onChoose, onOpen, onLimits } = props;
  const { guide } = useSettings();
  const isWaiting = usePendingApprovals().length > 0;
  useEffect(markBoxReady, []);
  return (
    <main className="chat">
      <ConversationView
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
      </ConversationView>
      <div className="vitrine-column">
        {card.id === 'assistant' && guide !== null && <Guide />}
        <Decisions />
        <Notices onFork={onOpen} />
        <Composer id="composer" />
      </div>
    </main>
  );
}
