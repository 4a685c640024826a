import {
  AgentState,
  type SessionActivity,
  type StopReason,
  useActivity,
  useAgentState,
} from '@vitrine/react';
import type { ReactNode } from 'react';
import { useChatStatus } from './use-chat-status.ts';

const words: Partial<Record<StopReason, string>> = {
  'user-requested': 'Stopped by you',
  'stop-requested': 'Stopped',
  'steps-limit-reached': 'Stopped: the step limit is reached',
  'token-limit-reached': 'Stopped: the token limit is reached',
  'time-limit-reached': 'Stopped: the time limit is reached',
  'cost-limit-reached': 'Stopped: the cost limit is reached',
};

/** What the agent is doing, or why it stopped when that was not because it had finished. */
export function RunStatus(): ReactNode {
  const { status } = useChatStatus();
  const activity = useActivity();
  const reason = useAgentState(AgentState.stopReason);
  const doing = describeActivity(activity);
  if (doing !== null) return <p className="run-status busy">{doing}</p>;
  const text = status === 'ready' && reason !== null ? words[reason] : undefined;
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
