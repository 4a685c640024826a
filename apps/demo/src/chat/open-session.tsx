import { Activity, Chat } from '@vitrine/react/components';
import type { SessionStore } from '@vitrine/react';
import { type ReactNode, useEffect, useMemo } from 'react';
import type { AgentCard } from '../agents/agent-cards.ts';
import { useWholeAgent } from '../agents/whole-agent.ts';
import { afterBox, markBoxReady } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import { useKnownSessions, useServer } from '../server/load-server.ts';
import type { ModelsAndChoice } from '../settings/use-model-choice.ts';
import { useSettings } from '../settings/use-settings.ts';
import { EmptyState } from './empty-state.tsx';
import { type ShownSession, useSessionAgent } from './use-session-agent.ts';

const Guide = later({
  load: async () => (await afterBox(() => import('../guide/guide.tsx'))).Guide,
});

const SessionLists = later({
  load: async () => (await import('./session-lists.tsx')).SessionLists,
  name: 'The list of sessions',
  place: (content) => <div className="vitrine-sessions">{content}</div>,
});

type OpenSessionProps = {
  readonly shown: ShownSession;
  readonly sessions: SessionStore;
  readonly model: ModelsAndChoice['choice'];
  readonly onOpen: (sessionId: string, isNew: boolean) => void;
  /** Opens or closes the settings, which have the limits. */
  readonly onSettings: (isOpen: boolean) => void;
  readonly header: (about: { readonly card: AgentCard; readonly isOnServer: boolean }) => ReactNode;
};

/** The chat with the stored agent of the open session. */
export function OpenSession(props: OpenSessionProps): ReactNode {
  const { shown, sessions, model, onOpen, onSettings, header } = props;
  const { limits, prices, place, guide } = useSettings();
  const { card, choose } = useSessionAgent(shown);
  const isOnServer = useKnownSessions().includes(shown.sessionId);
  const store = useServer(isOnServer)?.serverSessions ?? sessions;
  const { agent, views, createMenus } = useWholeAgent(card, { ...model, limits, prices, sessions });
  const menus = useMemo(
    () => createMenus?.({ card, agent, onOpen, onSettings }),
    [createMenus, card, agent, onOpen, onSettings],
  );
  useEffect(markBoxReady, []);
  return (
    <Chat
      key={isOnServer ? 'server' : place}
      agent={agent}
      sessions={store}
      sessionId={shown.sessionId}
      onOpen={onOpen}
      list={<SessionLists sessions={sessions} currentId={shown.sessionId} onOpen={onOpen} />}
      header={header({ card, isOnServer })}
      tools={views}
      models
      menus={menus}
      usage
      download
      readAloud
      dictation
      feedback
      empty={
        <EmptyState card={card} mayBeStored={shown.stored !== null} onChoose={isOnServer ? null : choose} />
      }
      activity={
        <Activity
          atLimit={
            <button type="button" className="vitrine-button" onClick={() => onSettings(true)}>
              Change the limits
            </button>
          }
        />
      }
    >
      {card.id === 'assistant' && guide !== null && <Guide />}
    </Chat>
  );
}
