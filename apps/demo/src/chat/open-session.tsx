import { Activity, Chat } from '@vitrine/react/components';
import type { SessionStore } from '@vitrine/react';
import { type ReactNode, useEffect } from 'react';
import { useWholeAgent } from '../agents/whole-agent.ts';
import { afterBox, markBoxReady } from '../kit/after-box.ts';
import { later } from '../kit/later.tsx';
import type { ModelsAndChoice } from '../settings/use-model-choice.ts';
import { useSettings } from '../settings/use-settings.ts';
import { EmptyState } from './empty-state.tsx';
import { type ShownSession, useSessionAgent } from './use-session-agent.ts';

const Guide = later({
  load: async () => (await afterBox(() => import('../guide/guide.tsx'))).Guide,
});

type OpenSessionProps = {
  readonly shown: ShownSession;
  readonly sessions: SessionStore;
  readonly model: ModelsAndChoice['choice'];
  readonly onOpen: (sessionId: string, isNew: boolean) => void;
  /** Opens the settings of the limits. */
  readonly onLimits: () => void;
  readonly header: (agentName: string, sessionId: string) => ReactNode;
};

/** The chat with the stored agent of the open session. */
export function OpenSession(props: OpenSessionProps): ReactNode {
  const { shown, sessions, model, onOpen, onLimits, header } = props;
  const { limits, prices, place, guide } = useSettings();
  const { card, choose } = useSessionAgent(shown);
  const { agent, views } = useWholeAgent(card, { ...model, limits, prices, sessions });
  useEffect(markBoxReady, []);
  return (
    <Chat
      key={place}
      agent={agent}
      sessions={sessions}
      sessionId={shown.sessionId}
      onOpen={onOpen}
      header={header(card.name, shown.sessionId)}
      tools={views}
      empty={<EmptyState card={card} mayBeStored={shown.stored !== null} onChoose={choose} />}
      activity={
        <Activity
          atLimit={
            <button type="button" className="vitrine-button" onClick={onLimits}>
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
