'use client';

import { AgentState, Conversation, Message } from '@vitrine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useAgentSession, useAgentState } from '../hooks/use-agent-state.ts';
import type { UsedTexts } from './texts.ts';
import { useTexts } from './texts-provider.tsx';

/** Maximum number of characters to announce; the conversation shows the rest. */
const longest = 600;

/**
 * Announces an answer to screen readers once it is complete. Neither streaming nor opening a stored session
 * announces anything.
 */
export function Announcer(): ReactNode {
  const answer = useAgentState(finishedAnswer);
  const texts = useTexts().conversation;
  const { onEvent } = useAgentSession();
  const [hasRun, setHasRun] = useState(false);
  if (answer === null && !hasRun) setHasRun(true);
  // A run may end before its first render, so an event also counts as a run.
  useEffect(() => (hasRun ? undefined : onEvent(() => setHasRun(true))), [hasRun, onEvent]);
  return (
    <p className="vitrine-unseen" role="status">
      {hasRun && answer !== null && answer !== '' ? announcementOf(answer, texts) : ''}
    </p>
  );
}

/** The text of the last answer; null while an answer is in progress. */
function finishedAnswer(state: AgentState): string | null {
  if (AgentState.status(state) === 'in-progress') return null;
  const last = Conversation.settledMessages(state).at(-1);
  if (last?.role !== 'assistant') return '';
  return Message.text(last).trim();
}

function announcementOf(answer: string, texts: UsedTexts['conversation']): string {
  return answer.length <= longest
    ? texts.announcement(answer)
    : texts.longAnnouncement(answer.slice(0, longest));
}
