import { use, useState } from 'react';
import { type AgentCard, agentCard } from '../agents/agent-cards.ts';
import { changeSettings, useSettings } from '../settings/use-settings.ts';

/** The session that is shown. */
export type ShownSession = {
  readonly sessionId: string;
  /** Its agent as it is stored; null for one that was begun just now, of which nothing is. */
  readonly stored: Promise<string | null> | null;
};

/** Who answers in a session. */
export type SessionAgent = {
  readonly card: AgentCard;
  /** Has another one answer in this session, and in new ones. */
  readonly choose: (id: string) => void;
};

/**
 * The agent that a session was begun with, which is stored with it; for a new one that which was chosen last. Nothing is
 * shown, and nobody asked, before it is known who is to answer: suspends until the store has told.
 */
export function useSessionAgent({ sessionId, stored }: ShownSession): SessionAgent {
  const { agent: last } = useSettings();
  const [chosen, setChosen] = useState<{ readonly sessionId: string; readonly id: string } | null>(null);
  const own = chosen?.sessionId === sessionId ? chosen.id : null;
  return {
    card: agentCard(own ?? (stored === null ? null : use(stored)) ?? last),
    choose(id) {
      setChosen({ sessionId, id });
      changeSettings({ agent: id });
    },
  };
}
