import type { AgentState } from '../../graph/types.ts';
import { answer, resolveConflict, resume, retry, send, stop } from './actions/turns.ts';
import { cancelQueued, clearError, rename, resetSession, setDraft, update } from './actions/changes.ts';
import { arrive, depart, departTo } from './actions/departure.ts';
import { continueRun } from './actions/continue-run.ts';
import { setBreaks } from './actions/debug.ts';
import { dispose } from './actions/dispose.ts';
import { fork, move, beginMove } from './moves.ts';
import { handleDeleted, handleOpened, handleRestored, handleStored } from './actions/store-outcomes.ts';
import { runOver, beginMessage, newRun, settle } from './run-control.ts';
import type { OutcomeOf, SessionInput } from './session-input.ts';
import { type SessionModel, isElsewhere, type QueuedTurn } from './session-model.ts';
import { withCheckpoint, emptyTree } from '../branches/session-tree.ts';
import { treeAfterErasure } from '../branches/tree-after-erasure.ts';
import { to, type Others, type Transition, andThen, newTurn, settleTurns } from './transition.ts';
import { needsRun } from '../../run/answer-call.ts';
import type { Turn } from '../agent-session.ts';
import { answeredTurn } from './actions/tabs.ts';
import { isAnswered, isOpen, waitsForPerson, openTurnId } from './state-facts.ts';

/**
 * Returns the next model and the effects to perform for an input, given the current state of the agent. Pure:
 * it reads and changes nothing but its arguments.
 * `others` handles what other tabs and devices do to the stored session; null without a store, where nobody can.
 * Once the effects are done, `advance` begins the next work.
 */
export function reduce(
  model: SessionModel,
  input: SessionInput,
  state: AgentState,
  others: Others | null,
): Transition {
  switch (input.type) {
    case 'send':
      return send(model, input, state);
    case 'stop':
      return stop(model, input, state);
    case 'resume':
      return resume(model, input, state);
    case 'retry':
      return retry(model, input, state);
    case 'continue':
      return continueRun(model, input, state);
    case 'answer':
      return answer(model, input, state);
    case 'debug':
      return setBreaks(model, input, state);
    case 'update':
      return update(model, input);
    case 'reset':
      return resetSession(model, input);
    case 'move':
      return move(model, input, state);
    case 'fork':
      return fork(model, input, state);
    case 'rename':
      return rename(model, input);
    case 'set-draft':
      return setDraft(model, input);
    case 'clear-error':
      return clearError(model);
    case 'cancel-queued':
      return cancelQueued(model, input);
    case 'depart':
      return depart(model, input);
    case 'arrive':
      return arrive(model, input);
    case 'dispose':
      return dispose(model, input, state);
    case 'opened':
      return handleOpened(model, input, state, others);
    case 'stored':
      return handleStored(model, input);
    case 'resolve-conflict':
      return resolveConflict(model, input);
    case 'checkpoint':
      return to({ ...model, tree: withCheckpoint(model.tree, input.checkpoint) });
    case 'erased':
      return to({ ...model, tree: emptyTree });
    case 'texts-erased':
      return to({ ...model, tree: treeAfterErasure(model.tree, input) });
    case 'steered':
      return handleSteered(model, input);
    case 'retrying':
      return to({ ...model, retrying: input.retrying });
    case 'deleted':
      return handleDeleted(model);
    case 'restored':
      return handleRestored(model);
    case 'followed':
    case 'attach':
    case 'head-changed':
    case 'overtaken':
    case 'read-again':
    case 'other-gone':
      return others?.(model, input, state) ?? to(model);
    case 'run-over':
      return model.run?.id === input.runId ? runOver(model, model.run, state, input.outcome) : to(model);
  }
}

/** Records messages that the run took in: their turns end with it. */
function handleSteered(model: SessionModel, { runId, ids }: OutcomeOf<'steered'>): Transition {
  const { run } = model;
  if (run === null || run.id !== runId) return to(model);
  const taken = model.queue.filter(({ message }) => ids.includes(message.id));
  const queue = model.queue.filter((entry) => !taken.includes(entry));
  const turns = taken.map(({ turn }) => ({ ...turn, status: 'running' as const }));
  return to({ ...model, queue, run: { ...run, steered: [...run.steered, ...turns] } });
}

const wentOn = 'The user continued before the run had ended';

/** Begins the next piece of work when the session is idle. Runs begin only here. */
export function advance(model: SessionModel, state: AgentState): Transition {
  if (model.isFollowing === true) return to(model);
  if (model.phase !== 'open' || model.isDisposed || model.run !== null) return to(model);
  if ((model.conflict ?? null) !== null || isElsewhere(model)) return to(model);
  const { moved = null, departing } = model;
  if (moved !== null) return to(model);
  if (departing !== undefined && model.moves.length === 0 && model.retry === null)
    return departTo(model, departing);
  // A message on the branch may have been answered by another command before its own run began.
  const isDone = ({ message }: QueuedTurn): boolean => isAnswered(state, message.id);
  if (model.queue.some(isDone))
    return andThen(answeredAlready(model, isDone, state), (next) => advance(next, state));
  const [head] = model.queue;
  const [move] = model.moves;
  // A run that waits for a person, or was interrupted, stays as it is and comes back with its branch.
  if (move !== undefined) return beginMove(model, state, move);
  if (isOpen(state)) {
    if (model.goesOn) return goOn(model, state);
    const isPassedOver = head !== undefined && !model.isHeld && !waitsForPerson(state);
    const isEnding = model.retry !== null || head?.lane === 'interrupting' || isPassedOver;
    return isEnding ? settle(model, state, wentOn) : to(model);
  }
  if (model.retry !== null) return beginRetry(model, state, model.retry);
  return head === undefined || model.isHeld ? to(model) : beginMessage(model, state, { begun: head });
}

/** Tells turns that another command or device has answered. */
function answeredAlready(
  model: SessionModel,
  isDone: (entry: QueuedTurn) => boolean,
  state: AgentState,
): Transition {
  const turns = model.queue.filter(isDone).map(({ turn }) => answeredTurn(turn, state));
  return settleTurns({ ...model, queue: model.queue.filter((entry) => !isDone(entry)) }, turns, 'saved');
}

function goOn(model: SessionModel, state: AgentState): Transition {
  const paused = model.paused ?? { turn: newTurn(openTurnId(state), 'resume'), options: {}, steered: [] };
  if (!needsRun(state)) {
    const turn: Turn = { ...paused.turn, status: 'awaiting-input' };
    return settleTurns({ ...model, goesOn: false, paused: { ...paused, turn } }, [turn]);
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
