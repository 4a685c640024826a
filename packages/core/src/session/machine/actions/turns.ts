import type { AgentState } from '../../../graph/types.ts';
import type { Decision, QueuedMessage } from '../../agent-session.ts';
import { enqueueTurn, hasRoom } from '../queue.ts';
import { andThen, givenTurn, refuse, reply, to, type Transition, addWatcher } from '../transition.ts';
import { isEmptyMessage, refusal, namedRefusal, unsettledRun, type RefusalName } from '../refusals.ts';
import { pausedRun, settle, stopRun } from '../run-control.ts';
import { rereadEffect } from '../session-effect.ts';
import type { CommandOf, StoppedRun } from '../session-input.ts';
import type { Conflict, QueuedTurn, SessionModel } from '../session-model.ts';
import { isOpen, waitsForPerson, openTurnId } from '../state-facts.ts';
import { keptMessage } from '../../store/queued-message.ts';
import { present } from '../../../kit/json.ts';
import { type ErrorInfo, of as errorInfo } from '../../../graph/error-info.ts';
import { type AddressedEvent, answerCall, type CallAnswer, needsRun } from '../../../run/answer-call.ts';
import { messages } from '../../../graph/agent-state/accessors.ts';

/** Queues a message; it begins when no work is before it. */
export function send(model: SessionModel, command: CommandOf<'send'>, state: AgentState): Transition {
  const { id, onBusy } = command;
  const isBusy = model.run !== null || waitsForPerson(state);
  const error =
    refusal(model) ??
    (isEmptyMessage(command.message) ? namedRefusal('emptyMessage') : null) ??
    (isBusy && onBusy === 'reject' ? namedRefusal('busy') : null) ??
    (hasRoom(model.queue, command.message) ? null : namedRefusal('queueFull'));
  if (error !== null) return refuse(model, { id, kind: 'send', error });
  const lane = isBusy ? laneOf(onBusy) : 'queued';
  const entry: QueuedTurn = {
    turn: givenTurn(command, 'send'),
    message: queuedMessage(command, lane),
    lane,
    conflicts: 0,
  };
  const queue = enqueueTurn(model.queue, entry);
  const { conflict = null, run } = model;
  // A question may stay open forever, so the turn settles as queued.
  if (conflict?.phase === 'asking')
    return to(
      { ...model, queue, isHeld: false },
      reply(id, { ...entry.turn, error: namedRefusal('asksForPolicy') }),
    );
  // A message that was sent before the page was opened is held like the stored queue.
  const isHeld = command.isWaiting === true && (model.isHeld || (run === null && model.queue.length === 0));
  const queued = to(addWatcher({ ...model, queue, isHeld }, id, id), { type: 'save-soon' });
  if (conflict?.phase === 'unread') return andThen(queued, (next) => rereadOnce(next, conflict));
  if (lane !== 'interrupting' || run === null) return queued;
  return andThen(queued, (next) => stopRun(next, run, 'Interrupted by a new message'));
}

function laneOf(onBusy: CommandOf<'send'>['onBusy']): QueuedTurn['lane'] {
  if (onBusy === 'interrupt') return 'interrupting';
  return onBusy === 'steer' ? 'steered' : 'queued';
}

function queuedMessage(
  { id, message, options: { model }, by }: CommandOf<'send'>,
  lane: QueuedTurn['lane'],
): QueuedMessage {
  return {
    ...keptMessage(message),
    id,
    isSteered: lane === 'steered',
    ...(model === undefined ? {} : { options: { model } }),
    ...present({ by }),
  };
}

/** Records the answers to waiting calls, all or none. They continue the active run or an open one. */
export function answer(model: SessionModel, command: CommandOf<'answer'>, state: AgentState): Transition {
  const { id, by } = command;
  const entries = Object.entries(command.decisions);
  const eventsOf = (): readonly AddressedEvent[] =>
    entries
      .flatMap(([callId, decision]) => answerCall(state, callId, toAnswer(decision)))
      .map(({ path, body }) => ({ path, body: { ...body, ...present({ by }) } as AddressedEvent['body'] }));
  return goOnWith(model, state, {
    id,
    unasked: 'noAnswer',
    eventsOf: entries.length === 0 ? () => null : eventsOf,
  });
}

type GivenAnswer = {
  readonly id: string;
  /** The refusal when `eventsOf` gives null, because nothing waits for the answer. */
  readonly unasked: RefusalName;
  readonly eventsOf: () => readonly AddressedEvent[] | null;
};

/** Lets an open run go on with an answer: the active run takes its events in, and one that waits begins again. */
export function goOnWith(
  model: SessionModel,
  state: AgentState,
  { id, unasked, eventsOf }: GivenAnswer,
): Transition {
  const { run } = model;
  const refusedBy = (error: ErrorInfo): Transition => refuse(model, { id, kind: 'answer', error });
  const error = unsettledRun(model);
  if (error !== null) return refusedBy(error);
  let events: readonly AddressedEvent[] | null;
  try {
    events = run?.isStopping ? null : eventsOf();
  } catch (thrown) {
    return refusedBy(errorInfo(thrown));
  }
  if (events === null) return refusedBy(namedRefusal(unasked));
  const effects = [{ type: 'commit' as const, events }, { type: 'save-soon' as const }];
  if (run !== null) return to(addWatcher(model, id, run.turn.id), ...effects);
  const paused = pausedRun(model, state, 'answer');
  return to(addWatcher({ ...model, paused, goesOn: true }, id, paused.turn.id), ...effects);
}

function toAnswer(decision: Decision): CallAnswer {
  if ('output' in decision) return { type: 'respond', output: decision.output };
  const { approved, ...rest } = decision;
  return approved ? { ...rest, type: 'approve' } : { ...rest, type: 'reject' };
}

/** Runs the last turn again. A session that could not be read is read again. */
export function retry(model: SessionModel, command: CommandOf<'retry'>, state: AgentState): Transition {
  const { id } = command;
  if (model.phase === 'unreadable' && !model.isDisposed)
    return to({ ...model, phase: 'loading', error: null }, { type: 'open-again', commandId: id });
  if (model.conflict?.phase === 'unread' && !model.isDisposed)
    return resolveConflict(model, { type: 'resolve-conflict', id, policy: model.conflict.policy });
  const error = unsettledRun(model) ?? (model.run === null ? noTurn(state) : namedRefusal('busy'));
  if (error !== null) return refuse(model, { id, kind: 'retry', error });
  const turn = givenTurn(command, 'retry');
  return to(addWatcher({ ...model, retry: { turn, conflicts: 0 }, isHeld: false }, id, id));
}

/** The error when there is no turn to run again: no message, or a complete answer as the last one. */
function noTurn(state: AgentState): ErrorInfo | null {
  const last = messages(state).findLast(({ metadata }) => metadata['incomplete'] !== true);
  if (last === undefined) return namedRefusal('idle');
  return last.role === 'assistant' && last.metadata['is_trace'] !== true ? namedRefusal('answered') : null;
}

/** Continues the run that a reload interrupted, or releases a held queue. */
export function resume(model: SessionModel, command: CommandOf<'resume'>, state: AgentState): Transition {
  const { id, isAutomatic } = command;
  const error = unsettledRun(model);
  if (error !== null) return refuse(model, { id, kind: 'resume', error });
  if (model.run !== null) return to(addWatcher(model, id, model.run.turn.id));
  const [head] = model.queue;
  if (isOpen(state)) {
    if (waitsForPerson(state) && !needsRun(state)) return to(model, reply(id, model.paused?.turn ?? null));
    const paused = pausedRun(model, state, 'resume');
    return to(addWatcher({ ...model, paused, goesOn: true }, id, paused.turn.id));
  }
  if (head === undefined) return refuse(model, { id, kind: 'resume', error: namedRefusal('idle') });
  // A person sees the error before the queue continues.
  if (isAutomatic && model.error !== null) return refuse(model, { id, kind: 'resume', error: model.error });
  return to(addWatcher({ ...model, isHeld: false }, id, head.turn.id));
}

/** Ends the active, waiting or interrupted run; the promise settles when it has ended. */
export function stop(model: SessionModel, command: CommandOf<'stop'>, state: AgentState): Transition {
  const { run } = model;
  // The run of a session that moved goes on there.
  const isElsewhere = (model.moved ?? null) !== null;
  if (isElsewhere || !isNamed(command, model, state)) return to(model, reply(command.id, null));
  const { by } = command;
  if (run !== null) {
    const own = by === undefined || run.isStopping ? run : { ...run, stoppedBy: by };
    const watched = addWatcher({ ...model, run: own }, command.id, run.turn.id, true);
    return stopRun(watched, own, command.message);
  }
  const isSettled = (model.conflict ?? null) === null;
  if (model.phase !== 'open' || !isSettled || !isOpen(state)) return to(model, reply(command.id, null));
  const settling = settle(model, state, command.message);
  const ending = settling.model.run;
  const ended = ending === null || by === undefined ? ending : { ...ending, stoppedBy: by };
  const stopped = { ...settling.model, run: ended };
  return { ...settling, model: addWatcher(stopped, command.id, ending?.turn.id ?? '', true) };
}

/** True when the run that goes on, or waits, is the one that a stop names. */
function isNamed(
  { turnId, executionId }: StoppedRun,
  { run, paused }: SessionModel,
  state: AgentState,
): boolean {
  const isOfExecution = isOpen(state) && state.execution?.executionId === executionId;
  if (executionId !== undefined && !isOfExecution) return false;
  const going = run ?? paused;
  const turns = going === null ? [openTurnId(state)] : [going.turn, ...going.steered].map(({ id }) => id);
  return turnId === undefined || turns.includes(turnId);
}

/** Resolves a conflict with the policy that a person chose. */
export function resolveConflict(
  model: SessionModel,
  { id, policy }: CommandOf<'resolve-conflict'>,
): Transition {
  const { conflict = null } = model;
  if (conflict === null || model.phase !== 'open') return to(model, reply(id, null));
  const reading: Conflict = { ...conflict, phase: 'reading', policy, askedBy: [...conflict.askedBy, id] };
  return to({ ...model, conflict: reading, error: null }, rereadEffect(reading));
}

/** Reads the store once more after it failed to answer. */
export function rereadOnce(model: SessionModel, conflict: Conflict): Transition {
  return to({ ...model, error: null, conflict: { ...conflict, phase: 'reading' } }, rereadEffect(conflict));
}
