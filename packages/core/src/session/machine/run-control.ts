import { messages, stopReason } from '../../graph/agent-state/accessors.ts';
import { runError } from '../../graph/agent-state/ending-error.ts';
import { placeOf } from '../../graph/messages-by-id.ts';
import type { AgentState } from '../../graph/types.ts';
import { needsRun } from '../../run/answer-call.ts';
import type { Turn } from '../agent-session.ts';
import type { RunOutcome } from './session-input.ts';
import type { ActiveRun, Move, PausedRun, QueuedTurn, SessionModel, Retrying } from './session-model.ts';
import { isOpen, waitsForPerson, openTurnId } from './state-facts.ts';
import { movesCancelled, retryCancelled } from './queue.ts';
import { andThen, newTurn, settleTurns, to, type Transition } from './transition.ts';
import type { AgentEvent, AgentEventType } from '../../run/events.ts';

/** The open run that goes on: the one that waits here, or one of another page under a turn of its own. */
export function pausedRun({ paused }: SessionModel, state: AgentState, kind: Turn['kind']): PausedRun {
  return paused ?? { turn: newTurn(openTurnId(state), kind), options: {}, steered: [] };
}

/** The turns of a run with their end, that of the run first. */
export function turnsOf(run: PausedRun, end: Partial<Turn>): readonly [Turn, ...Turn[]] {
  return [{ ...run.turn, ...end }, ...run.steered.map((turn) => ({ ...turn, ...end }))];
}

/** Ends an open run that nobody continues, without a call of the model. */
export function settle(model: SessionModel, state: AgentState, message: string): Transition {
  const run = newRun(state, pausedRun(model, state, 'stop'), { phase: 'running', isStopping: true });
  return to(
    { ...model, run, paused: null, goesOn: false, elsewhere: null },
    { type: 'run', runId: run.id, options: run.options, stop: message },
  );
}

/** Stops the active run. A run that has not begun ends without a call of the model. */
export function stopRun(model: SessionModel, run: ActiveRun, message: string): Transition {
  if (run.isStopping) return to(model);
  if (run.phase === 'running') {
    const stopping = { ...run, isStopping: true, stopMessage: message };
    return to({ ...model, run: stopping }, { type: 'abort', runId: run.id, message });
  }
  const ending: ActiveRun = { ...run, phase: 'running', isStopping: true, begun: null, move: null };
  return to({ ...model, run: ending }, { type: 'run', runId: run.id, options: run.options, stop: message });
}

/** Handles the end or the pause of a run. */
export function runOver(
  model: SessionModel,
  run: ActiveRun,
  state: AgentState,
  outcome: RunOutcome,
): Transition {
  if (outcome !== 'ended' && isOpen(state)) {
    // A stop, or an answer, arrived just after the run decided to wait.
    if (run.stopMessage !== null) {
      const ending = { ...run, stopMessage: null };
      return to(
        { ...model, run: ending },
        { type: 'run', runId: run.id, options: run.options, stop: run.stopMessage },
      );
    }
    if (outcome === 'left') return leftAt(model, run);
    if (needsRun(state) && !run.isStopping)
      return to(model, { type: 'run', runId: run.id, options: run.options, stop: null });
    return pausedAt(model, run);
  }
  return endRun(model, run, state);
}

function pausedAt(model: SessionModel, run: ActiveRun): Transition {
  const turns = turnsOf(run, { status: 'awaiting-input' });
  const [turn, ...steered] = turns;
  const paused: PausedRun = { turn, steered, options: run.options };
  return leaveIfIdle(settleTurns({ ...model, run: null, paused, retrying: [] }, turns, 'saved'));
}

/** Leaves a run between two steps. It goes on where the session goes, or here when that fails. */
function leftAt(model: SessionModel, { turn, options, steered }: ActiveRun): Transition {
  const paused = { turn, options, steered };
  return leaveIfIdle(to({ ...model, run: null, paused, goesOn: true, retrying: [] }));
}

function endRun(model: SessionModel, run: ActiveRun, state: AgentState): Transition {
  const error = runError(state);
  const status = state.execution?.status;
  const outcome = status === 'completed' || status === 'stopped' ? status : 'failed';
  const turns = turnsOf(run, { status: 'done', outcome, stopReason: stopReason(state), error });
  const isHeld = error !== null || isOpen(state);
  const over: SessionModel = { ...model, run: null, paused: null, error, isHeld, retrying: [] };
  const settled = andThen(to(over, { type: 'finish', turn: turns[0] }), (next) =>
    settleTurns(next, turns, 'saved'),
  );
  return leaveIfIdle(settled);
}

/** Adds the `leave` effect once a disposed session has no active work. */
export function leaveIfIdle({ model, effects }: Transition): Transition {
  if (!model.isLeaving || model.run !== null || model.conflict?.phase === 'reading')
    return { model, effects };
  return { model: { ...model, isLeaving: false }, effects: [...effects, { type: 'leave' }] };
}

/** Appends a message to the branch and begins its run. With a `move`, the state is that of the new branch. */
export function beginMessage(
  model: SessionModel,
  state: AgentState,
  { begun, move = null }: { begun: QueuedTurn; move?: Move | null },
): Transition {
  const { turn, message, conflicts } = begun;
  const options = message.options ?? {};
  const run = newRun(state, { turn, options, steered: [] }, { begun, conflicts, move });
  const queue = model.queue.filter((entry) => entry !== begun);
  const started = to(
    { ...model, run, queue, error: null },
    // After a conflict the message may be on the branch already.
    ...(placeOf(messages(state), message.id) >= 0 ? [] : [{ type: 'add-message' as const, message }]),
  );
  return andThen(started, (next) =>
    queue[0]?.lane === 'interrupting'
      ? stopRun(next, run, 'Interrupted by a new message')
      : to(next, { type: 'store', runId: run.id }),
  );
}

export function newRun(
  state: AgentState,
  { turn, options, steered }: PausedRun,
  init: Partial<ActiveRun>,
): ActiveRun {
  const { conflicts = 0 } = init;
  return {
    id: `${turn.id}/${state.seq}/${conflicts}`,
    phase: 'storing',
    executionBefore: isOpen(state) ? null : (state.execution?.executionId ?? null),
    begun: null,
    move: null,
    isStopping: false,
    stopMessage: null,
    conflicts,
    options,
    steered,
    turn: { ...turn, status: 'running' },
    ...init,
  };
}

/** Ends a run whose journal is left: its later events are ignored, and its promises settle as stopped. */
export function runLeft(model: SessionModel, message: string): Transition {
  const { run } = model;
  if (run === null) return to(model);
  const turns = turnsOf(run, { status: 'done', outcome: 'stopped', stopReason: 'user-requested' });
  const over = to(
    { ...model, run: null },
    { type: 'abandon', runId: run.id, message },
    { type: 'finish', turn: turns[0] },
  );
  return andThen(over, (next) => settleTurns(next, turns));
}

/** The turn of a run that waits for a person in a loaded state; null when none waits. */
export function pausedIn(state: AgentState): PausedRun | null {
  if (!waitsForPerson(state)) return null;
  const turn = newTurn(openTurnId(state), 'send', 'awaiting-input');
  return { turn, options: {}, steered: [] };
}

/** Cancels the retry and the moves that wait for the current run to end, and settles their promises. */
export function pendingCancelled(model: SessionModel): Transition {
  return andThen(retryCancelled(model), movesCancelled);
}

const ending: ReadonlySet<AgentEventType> = new Set<AgentEventType>([
  'inference-start',
  'inference-end',
  'step-end',
  'execution-pause',
  'execution-end',
]);

/** The model calls that are being retried, after an event. Returns the same list when nothing changed. */
export function retriesAfter(retrying: readonly Retrying[], event: AgentEvent): readonly Retrying[] {
  const path = event.path.map((id) => `/${id}`).join('');
  if (event.type === 'inference-retry') {
    const { attempt, at, delayMs } = event;
    const next: Retrying = { path, attempt: attempt + 1, until: at + delayMs };
    return [...retrying.filter((entry) => entry.path !== path), next];
  }
  if (retrying.length === 0 || !ending.has(event.type)) return retrying;
  const kept = retrying.filter((entry) => entry.path !== path);
  return kept.length === retrying.length ? retrying : kept;
}
