import { AgentState, apply, ExecutionState, type SessionStore } from '@vitrine/react';

/** Tokens by the run that took them. */
export type TokensByRun = ReadonlyMap<string, number>;

/** What the runs took that are stored: those in rows of their own, and those that the events behind them tell of. */
export async function storedTokens(sessions: SessionStore, id: string): Promise<TokensByRun> {
  const [record, runs = []] = await Promise.all([sessions.load(id), sessions.runs?.(id)]);
  const byRun = new Map(runs.map((run) => [run.executionId, ExecutionState.usage(run).totalTokens]));
  if (record === null) return byRun;
  let { state } = record;
  const note = (): void => {
    if (state.execution) byRun.set(state.execution.executionId, AgentState.usage(state).totalTokens);
  };
  note();
  for (const event of record.journal.tail) {
    state = apply(state, event);
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') note();
  }
  return byRun;
}
