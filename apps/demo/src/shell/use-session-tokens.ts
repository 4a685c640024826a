import { AgentState, useAgentState } from '@vitrine/react';
import { useState } from 'react';

const nothing: ReadonlyMap<string, number> = new Map();

/** What the runs of the session took that this page has seen, the last one before it was opened included. It only grows. */
export function useSessionTokens(): number {
  const run = useAgentState(({ execution }) => execution?.executionId ?? null);
  const tokens = useAgentState((state) => AgentState.usage(state).totalTokens);
  const [byRun, setByRun] = useState(nothing);
  if (run !== null && byRun.get(run) !== tokens) setByRun(new Map([...byRun, [run, tokens]]));
  return [...byRun.values()].reduce((sum, one) => sum + one, 0);
}
