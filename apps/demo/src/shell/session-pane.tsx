import { AgentSession, type SessionStore } from '@vitrine/react';
import { type ReactNode, useMemo, useState } from 'react';
import { Chat } from '../chat/chat.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { later } from './later.tsx';
import { TopBar } from './top-bar.tsx';
import type { useModelChoice } from './use-model-choice.ts';
import { useSessionAgent } from './use-session-agent.ts';

const PanelSheet = later(async () => (await import('./panel.tsx')).PanelSheet);

type SessionPaneProps = {
  readonly sessionId: string;
  readonly sessions: SessionStore;
  readonly models: ReturnType<typeof useModelChoice>;
  /** There is no room for the panel beside it. */
  readonly isNarrow: boolean;
  readonly onOpen: (sessionId: string) => void;
  readonly onMenu: () => void;
  readonly onSettings: () => void;
};

/** A session with the agent that it was begun with. */
export function SessionPane(props: SessionPaneProps): ReactNode {
  const { sessionId, sessions, models, isNarrow, onOpen, onMenu, onSettings } = props;
  const { limits, prices, place } = useSettings();
  const { card, isKnown, choose } = useSessionAgent(sessionId);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const { model, reasoning } = models.choice;
  const agent = useMemo(
    () => card.create({ model, reasoning, limits, prices, sessions }),
    [card, model, reasoning, limits, prices, sessions],
  );
  // Nothing is shown, and nobody asked, before it is known who is to answer.
  if (!isKnown) return <div className="main" />;
  return (
    <AgentSession key={`${place} ${sessionId}`} agent={agent} sessionId={sessionId}>
      <div className="main">
        <TopBar
          agentName={card.name}
          models={models}
          onMenu={onMenu}
          onSettings={onSettings}
          onPanel={isNarrow ? () => setPanelOpen((is) => !is) : null}
          isPanelOpen={isPanelOpen}
        />
        <Chat card={card} onChoose={choose} onOpen={onOpen} onLimits={onSettings} />
        {isNarrow && isPanelOpen && <PanelSheet />}
      </div>
    </AgentSession>
  );
}
