import { AgentSessionProvider, type SessionStore } from '@vitrine/react';
import { type ReactNode, useState } from 'react';
import { Chat } from '../chat/chat.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { afterBox } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { TopBar } from './top-bar.tsx';
import type { ModelsAndChoice } from '../settings/use-model-choice.ts';
import { type ShownSession, useSessionAgent } from './use-session-agent.ts';
import { useWholeAgent } from '../agents/whole-agent.ts';

const TokenCount = later({
  load: async () => (await afterBox(() => import('./token-count.tsx'))).TokenCount,
});
const PanelSheet = later({
  load: async () => (await import('./panel.tsx')).PanelSheet,
  name: 'The panel',
});

type SessionPaneProps = {
  readonly shown: ShownSession;
  readonly sessions: SessionStore;
  readonly models: ModelsAndChoice;
  /** True if there is no room for the panel beside the session. */
  readonly isNarrow: boolean;
  readonly onOpen: (sessionId: string) => void;
  readonly onMenu: () => void;
  readonly onSettings: () => void;
};

/** A session with its stored agent. */
export function SessionPane(props: SessionPaneProps): ReactNode {
  const { shown, sessions, models, isNarrow, onOpen, onMenu, onSettings } = props;
  const { limits, prices, place } = useSettings();
  const { sessionId, stored } = shown;
  const { card, choose } = useSessionAgent(shown);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const { agent, views } = useWholeAgent(card, { ...models.choice, limits, prices, sessions });
  return (
    <AgentSessionProvider key={`${place} ${sessionId}`} agent={agent} sessionId={sessionId}>
      <div className="main">
        <TopBar
          agentName={card.name}
          models={models}
          tokens={<TokenCount sessions={sessions} sessionId={sessionId} />}
          onMenu={onMenu}
          onSettings={onSettings}
          onPanel={isNarrow ? () => setPanelOpen((is) => !is) : null}
          isPanelOpen={isPanelOpen}
        />
        <Chat
          card={card}
          views={views}
          mayBeStored={stored !== null}
          onChoose={choose}
          onOpen={onOpen}
          onLimits={onSettings}
        />
        {isNarrow && isPanelOpen && <PanelSheet />}
      </div>
    </AgentSessionProvider>
  );
}
