'use client';

import { AgentState, Conversation, Message } from '@vitrine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useAgentSession } from '../hooks/use-agent-session.ts';
import { useAgentState } from '../hooks/use-agent-state.ts';

/** Characters that are read out; who wants more finds it in the conversation. */
const longest = 600;

/** Reads an answer out once, when it is there, and nothing while it comes in or when a stored session is opened. */
export function Announcer(): ReactNode {
  const answer = useAgentState(finishedAnswer);
  const { onEvent } = useAgentSession();
  const [hasRun, setHasRun] = useState(false);
  if (answer === null && !hasRun) setHasRun(true);
  // A run may end before anything was drawn of it.
  useEffect(() => (hasRun ? undefined : onEvent(() => setHasRun(true))), [hasRun, onEvent]);
  return (
    <p className="vitrine-unseen" role="status">
      {hasRun && answer !== null && answer !== '' ? `Answer: ${answer}` : ''}
    </p>
  );
}

/** What the last answer says; null while one is being made. */
function finishedAnswer(state: AgentState): string | null {
  if (AgentState.status(state) === 'in-progress') return null;
  const last = Conversation.settledMessages(state).at(-1);
  if (last?.role !== 'assistant') return '';
  const text = Message.text(last).trim();
  return text.length <= longest ? text : `${text.slice(0, longest)}… The answer goes on.`;
}
