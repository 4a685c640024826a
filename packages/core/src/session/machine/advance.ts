import type { AgentState } from '../../graph/types.ts';
import { needsRun } from '../../run/answer-call.ts';
import type { Turn } from '../agent-session.ts';
import { beginMove } from './moves.ts';
import { cancelled } from './queue.ts';
import { andThen, newTurn, tell, to, type Transition } from './transition.ts';
import { beginMessage, newRun, settle } from './run-control.ts';
import { isElsewhere, type QueuedTurn, type SessionModel } from './session-model.ts';
import { isAnswered, isOpen, isWaiting } from './state-facts.ts';

const wentOn = 'The user continued before the run had ended';

/** Begins the next piece of work when the session is idle. Runs begin only here. */
export function advance(model: SessionModel, state: AgentState): Transition {
  if (model.isFollowing === true) return to(model);
  if (model.phase !== 'open' || model.isDisposed || model.run !== null) return to(model);
  if ((model.conflict ?? null) !== null || isElsewhere(model)) return to(model);
  // A message on the branch may have been answered by another command before its own run began.
  const isDone = ({ message }: QueuedTurn): boolean => isAnswered(state, message.id);
  if (model.queue.some(isDone)) return andThen(cancelled(model, isDone), (next) => advance(next, state));
  const [head] = model.queue;
  const [move] = model.moves;
  // A run that waits for a person, or was interrupted, stays as it is and comes back with its branch.
  if (move !== undefined) return beginMove(model, state, move);
  if (isOpen(state)) {
    if (model.goesOn) return goOn(model, state);
    const isPassedOver = head !== undefined && !model.isHeld && !isWaiting(state);
    const isEnding = model.retry !== null || head?.lane === 'interrupting' || isPassedOver;
    return isEnding ? settle(model, state, wentOn) : to(model);
  }
  if (model.retry !== null) return beginRetry(model, state, model.retry);
  return head === undefined || model.isHeld ? to(model) : beginMessage(model, state, { begun: head });
}

function goOn(model: SessionModel, state: AgentState): Transition {
  const id = state.execution?.executionId ?? state.agentId;
  const paused = model.paused ?? { turn: newTurn(id, 'resume'), options: {}, steered: [] };
  if (!needsRun(state)) {
    const turn: Turn = { ...paused.turn, status: 'awaiting-input' };
    return tell({ ...model, goesOn: false, paused: { ...paused, turn } }, [turn]);
  }
  const run = newRun(state, paused, {});
  return to(
    { ...model, run, paused: null, goesOn: false, elsewhere: null, error: null, isHeld: false },
    { type: 'store', runId: run.id },
  );
}

function beginRetry(
  model: SessionModel,
  state: AgentState,
  { turn, conflicts }: NonNullable<SessionModel['retry']>,
): Transition {
  const run = newRun(state, { turn, options: {}, steered: [] }, { conflicts });
  return to(
    { ...model, run, retry: null, error: null, isHeld: false },
    { type: 'drop-incomplete-answer' },
    { type: 'store', runId: run.id },
  );
}
