import { useSessions } from '@vitrine/react';
import { useState } from 'react';
import { type AgentCard, agentCard } from '../agents/agents.ts';
import { changeSettings, useSettings } from '../settings/use-settings.ts';
import { isMadeHere } from './use-session-id.ts';

/** Who answers in a session. */
export type SessionAgent = {
  readonly card: AgentCard;
  /** False until it is known what is stored: the card may be another one then. */
  readonly isKnown: boolean;
  /** Has another one answer in this session, and in new ones. */
  readonly choose: (id: string) => void;
};

/** The agent that a session was begun with, which is stored with it; for a new one that which was chosen last. */
export function useSessionAgent(sessionId: string): SessionAgent {
  const { data, error } = useSessions();
  const { agent: last } = useSettings();
  const [chosen, setChosen] = useState<{ readonly sessionId: string; readonly id: string } | null>(null);
  const own = chosen?.sessionId === sessionId ? chosen.id : null;
  const stored = data?.find(({ id }) => id === sessionId)?.agentName ?? null;
  return {
    card: agentCard(own ?? stored ?? last),
    isKnown: isMadeHere(sessionId) || data !== undefined || error !== null,
    choose(id) {
      setChosen({ sessionId, id });
      changeSettings({ agent: id });
    },
  };
}
