import { use, useState } from 'react';
import { type AgentCard, agentCard } from '../agents/agent-cards.ts';
import { changeSettings, useSettings } from '../settings/use-settings.ts';

/** The shown session. */
export type ShownSession = {
  readonly sessionId: string;
  /** The stored agent's name; null for a session that was just created. */
  readonly stored: Promise<string | null> | null;
};

/** The agent of a session. */
export type SessionAgent = {
  readonly card: AgentCard;
  /** Chooses another agent for this session and for new ones. */
  readonly choose: (id: string) => void;
};

/**
 * Returns the agent that a session was created with, which its store knows. A new session gets the agent
 * that was chosen last. Suspends until the store has answered.
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
