import { AgentState, type StopReason, useAgentState } from '@vitrine/react';
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
  const reason = useAgentState(AgentState.stopReason);
  const runningTool = useAgentState(
    (state) =>
      AgentState.currentStep(state)?.toolExecutions.find((execution) => execution.status === 'running')
        ?.toolCall.name ?? null,
  );
  if (status === 'submitted' || runningTool !== null) {
    return (
      <p className="run-status busy">{runningTool === null ? 'Thinking…' : `Running ${runningTool}…`}</p>
    );
  }
  const text = status === 'ready' && reason !== null ? words[reason] : undefined;
  return (
    <p className="run-status" role="status">
      {text}
    </p>
  );
}
