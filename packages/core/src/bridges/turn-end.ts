import { stopReason } from '../graph/agent-state/accessors.ts';
import type { AgentSession, SessionSnapshot, Turn } from '../session/agent-session.ts';

/** The end of a turn, as far as another interface shows it. */
export type TurnEnd = Pick<Turn, 'status' | 'outcome' | 'stopReason' | 'error'>;

/** Resolves with the end of the turn that goes on: at once when none does. */
export function turnEnd({ store }: AgentSession): Promise<TurnEnd> {
  return new Promise((resolve) => {
    const check = (snapshot: SessionSnapshot): boolean => {
      if (isGoing(snapshot)) return false;
      resolve(endOf(snapshot));
      return true;
    };
    if (check(store.getState())) return;
    const unsubscribe = store.subscribe((snapshot) => check(snapshot) && unsubscribe());
  });
}

/** True while a turn goes on that waits for nobody. */
export function isGoing({ status }: SessionSnapshot): boolean {
  return status === 'submitted' || status === 'streaming';
}

function endOf({ status, state, error }: SessionSnapshot): TurnEnd {
  if (status === 'awaiting-input') return { status, outcome: null, stopReason: null, error: null };
  const { execution } = state;
  const outcome = execution?.completedAt == null ? null : (execution.status as TurnEnd['outcome']);
  return { status: 'done', outcome, stopReason: stopReason(state), error };
}
