import { AgentState, apply, ExecutionState, loadedSession, type SessionStore } from '@vitrine/react';

/** Number of tokens by run id. */
export type TokensByRun = ReadonlyMap<string, number>;

/** Reads the tokens of the stored runs: from rows of their own, and from the events after the snapshot. */
export async function storedTokens(sessions: SessionStore, id: string): Promise<TokensByRun> {
  const [found, runs = []] = await Promise.all([sessions.load(id), sessions.runs?.(id)]);
  const byRun = new Map(runs.map((run) => [run.executionId, ExecutionState.usage(run).totalTokens]));
  const record = loadedSession(found);
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
