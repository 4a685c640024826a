import { type SessionActivity, useActivity, useAgentState } from '@vitrine/react';
import type { ReactNode } from 'react';
import { endOfAnswer } from './end-of-answer.ts';
import { useChatStatus } from './use-chat-status.ts';

/** What the agent is doing, or how it ended when that was not with a whole answer. */
export function RunStatus(): ReactNode {
  const { status } = useChatStatus();
  const activity = useActivity();
  const end = useAgentState(endOfAnswer);
  const doing = describeActivity(activity);
  if (doing !== null) return <p className="run-status busy">{doing}</p>;
  const text = status === 'ready' ? end : null;
  return (
    <p className="run-status" role="status">
      {text}
    </p>
  );
}

/** Null while there is nothing to say: an answer that comes in is seen by itself. */
function describeActivity(activity: SessionActivity): string | null {
  switch (activity.type) {
    case 'thinking':
      return 'Thinking…';
    case 'tool':
      return `Running ${activity.toolName}…`;
    case 'subagent':
      return `${activity.name}: ${describeActivity(activity.activity) ?? 'Answering…'}`;
    case 'retrying':
      return `The model did not answer. Trying again (${activity.attempt} of ${activity.maxAttempts})…`;
    default:
      return null;
  }
}
