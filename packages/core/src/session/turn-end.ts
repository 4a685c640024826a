import { stopReason, stopSignal } from '../graph/agent-state/accessors.ts';
import type { StopReason } from '../graph/stop-reason.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentSession, SessionSnapshot, Turn } from './agent-session.ts';

/** The end of a turn, as far as another interface shows it. */
export type TurnEnd = Pick<Turn, 'status' | 'outcome' | 'stopReason' | 'error'>;

/** Resolves with the end of the turn that goes on: at once when none does. */
export function turnEnd({ store }: AgentSession): Promise<TurnEnd> {
  return new Promise((resolve) => {
    const check = (snapshot: SessionSnapshot): boolean => {
      if (!isGoing(snapshot)) resolve(endOfSnapshot(snapshot));
      return !isGoing(snapshot);
    };
    if (check(store.getState())) return;
    const unsubscribe = store.subscribe((snapshot) => check(snapshot) && unsubscribe());
  });
}

/** Resolves with the end of a turn once the session has its state: the answer of a server may overtake it. */
export async function endWithState(
  session: AgentSession,
  turn: Promise<TurnEnd>,
  isOver: (state: AgentState) => boolean,
): Promise<TurnEnd> {
  const end = await turn;
  const { where, state } = session.store.getState();
  const isEarly = where === 'server' && end.outcome !== null && !isOver(state);
  return isEarly && end.status === 'done' ? turnEnd(session).then(() => end) : end;
}

/** True while a turn goes on that waits for nobody. */
export function isGoing({ status }: SessionSnapshot): boolean {
  return status === 'submitted' || status === 'streaming';
}

function endOfSnapshot({ status, state, error }: SessionSnapshot): TurnEnd {
  if (status === 'awaiting-input') return { status, outcome: null, stopReason: null, error: null };
  const { execution: run } = state;
  const outcome = run?.completedAt == null ? null : (run.status as TurnEnd['outcome']);
  return { status: 'done', outcome, stopReason: stopReason(state), error };
}

/** The end of a turn as every bridge tells it. */
export type BridgeEnd =
  /** A person has to answer. */
  | { readonly type: 'waiting' }
  /** There is an answer, as far as a limit allowed; the reason is null for a turn without a run. */
  | { readonly type: 'finish'; readonly reason: StopReason | null }
  /** A person, the application or another device stopped it. */
  | { readonly type: 'abort'; readonly message: string }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

const ends: Readonly<Record<StopReason, 'finish' | 'abort' | 'error'>> = {
  'error-forbade': 'error',
  'stop-requested': 'abort',
  'steps-limit-reached': 'finish',
  'token-limit-reached': 'finish',
  'time-limit-reached': 'finish',
  'cost-limit-reached': 'finish',
  'retry-limit-reached': 'error',
  'finish-reason-received': 'finish',
  'user-requested': 'abort',
  completed: 'finish',
  unknown: 'finish',
};

/** The end of a turn, for every writer of one: the same turn ends the same way in every protocol. */
export function endOf({ status, outcome, stopReason: reason, error }: TurnEnd, state: AgentState): BridgeEnd {
  if (status === 'awaiting-input') return { type: 'waiting' };
  const isCancelled = status === 'cancelled' || status === 'overtaken';
  const byReason = reason === null ? 'finish' : ends[reason];
  const hasFailed = outcome === 'failed' || (error !== null && outcome !== 'completed');
  const signal = stopSignal(state);
  // The last run of the state is an earlier one when the turn was refused.
  const said = signal !== null && signal.reason === reason ? signal.message : null;
  if (isCancelled || (byReason === 'abort' && (!hasFailed || reason === 'user-requested')))
    return { type: 'abort', message: said ?? 'The run was stopped.' };
  if (!hasFailed && byReason !== 'error') return { type: 'finish', reason };
  return {
    type: 'error',
    code: error?.code ?? reason ?? 'inference-failed',
    message: error?.message ?? said ?? 'The run failed without saying why.',
  };
}
