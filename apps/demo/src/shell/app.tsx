import { AgentSession, type SessionStore } from '@vitrine/react';
import { SessionList } from '@vitrine/react/components';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Chat } from '../chat/chat.tsx';
import { useSettings } from '../settings/use-settings.ts';
import { DockedPanel, PanelSheet } from './panel.tsx';
import { SkipLink } from './skip-link.tsx';
import { TopBar } from './top-bar.tsx';
import { useMediaQuery } from './use-media-query.ts';
import { useModelChoice } from './use-model-choice.ts';
import { useSessionAgent } from './use-session-agent.ts';
import { useSessionId } from './use-session-id.ts';

const SettingsDialog = lazy(async () => ({
  default: (await import('../settings/settings-dialog.tsx')).SettingsDialog,
}));

/** The whole page: sessions at the left, the conversation beside them, and the panel. */
export function App({ sessions }: { readonly sessions: SessionStore }): ReactNode {
  const [sessionId, openSession] = useSessionId();
  const [open, setOpen] = useState({ menu: false, settings: false, panel: false });
  const toggle = (name: keyof typeof open, is = !open[name]): void =>
    setOpen((all) => ({ ...all, [name]: is }));
  const models = useModelChoice();
  const { limits, prices, place } = useSettings();
  const { card, isKnown, choose } = useSessionAgent(sessionId);
  const { model, reasoning } = models.choice;
  const agent = useMemo(
    () => card.create({ model, reasoning, limits, prices, sessions }),
    [card, model, reasoning, limits, prices, sessions],
  );
  const isNarrow = useMediaQuery('(max-width: 719px)');
  const show = (id?: string): void => {
    openSession(id);
    toggle('menu', false);
  };
  return (
    <>
      <div className="page">
        <div className="app" data-menu={open.menu ? 'open' : 'closed'}>
          <SkipLink />
          <SessionList currentId={sessionId} onOpen={show} />
          <button
            className="scrim"
            aria-label="Close the list of sessions"
            tabIndex={-1}
            onClick={() => toggle('menu', false)}
          />
          {isKnown && (
            <AgentSession key={`${place} ${sessionId}`} agent={agent} sessionId={sessionId}>
              <div className="main">
                <TopBar
                  agentName={card.name}
                  models={models}
                  onMenu={() => toggle('menu')}
                  onSettings={() => toggle('settings', true)}
                  onPanel={isNarrow ? () => toggle('panel') : null}
                  isPanelOpen={open.panel}
                />
                <Chat
                  card={card}
                  onChoose={choose}
                  onOpen={openSession}
                  onLimits={() => toggle('settings', true)}
                />
                {isNarrow && open.panel && <PanelSheet />}
              </div>
            </AgentSession>
          )}
        </div>
      </div>
      {!isNarrow && <DockedPanel />}
      {open.settings && (
        <Suspense fallback={null}>
          <SettingsDialog models={models} onClose={() => toggle('settings', false)} />
        </Suspense>
      )}
    </>
  );
}
