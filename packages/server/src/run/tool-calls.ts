import type { AgentState } from '@vitrine/core';

type Call = NonNullable<AgentState['execution']>['stepExecutions'][number]['step']['toolExecutions'][number];

/** The calls of the current step, and those of subagents in it. */
export function openCalls(state: AgentState): readonly Call[] {
  const found: Call[] = [];
  const states = [state];
  for (let next = states.pop(); next !== undefined; next = states.pop()) {
    for (const call of next.execution?.currentStep?.toolExecutions ?? []) {
      found.push(call);
      if (call.childState !== null) states.push(call.childState);
    }
  }
  return found;
}

/** True while a tool of the application runs. A subagent counts by its own tools. */
export function isActing(state: AgentState): boolean {
  return openCalls(state).some(({ status, childState }) => status === 'running' && childState === null);
}

/** True for a call that waits for a person. */
export function isWaiting({ status }: Call): boolean {
  return status === 'awaiting-approval' || status === 'awaiting-output';
}

/** The ids of the calls that wait for a person. */
export function waitingCalls(state: AgentState): readonly string[] {
  return openCalls(state)
    .filter(isWaiting)
    .map(({ id }) => id);
}
