'use client';

import type { SessionActivity } from '@vitrine/core';
import type { ReactNode } from 'react';
import { useActivity } from '../hooks/use-activity.ts';
import { useAgentState } from '../hooks/use-agent-state.ts';
import { useAgentStatus } from '../hooks/use-agent-status.ts';
import { endOfAnswer } from './end-of-answer.ts';
import { gist } from './kit/gist.ts';

/** What the agent is doing, or how it ended when that was not with a whole answer. */
export function Activity(): ReactNode {
  const { status } = useAgentStatus();
  const activity = useActivity();
  const end = useAgentState(endOfAnswer);
  const doing = describeActivity(activity);
  // What is going on is seen and not read out: it changes faster than anybody can listen.
  if (doing !== null) return <p className="vitrine-activity vitrine-busy">{doing}</p>;
  return (
    <p className="vitrine-activity" role="status">
      {status === 'ready' ? end : null}
    </p>
  );
}

/** Null while there is nothing to say: an answer that comes in is seen by itself. */
function describeActivity(activity: SessionActivity): string | null {
  switch (activity.type) {
    case 'thinking':
      return 'Thinking…';
    case 'tool':
      return `Running ${gist(activity.toolName)}${besides(activity.others)}…`;
    case 'subagent':
      return `${gist(activity.name)}${besides(activity.others)}: ${describeActivity(activity.activity) ?? 'Answering…'}`;
    case 'retrying':
      return `The model did not answer. Trying again (${activity.attempt} of ${activity.maxAttempts})…`;
    default:
      return null;
  }
}

function besides(others: number): string {
  return others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
}
