import type { AgentState } from '../../../graph/types.ts';
import { needsRun } from '../../../run/answer-call.ts';
import { branchMessages, placesIn } from '../../branches/branch-messages.ts';
import { pausedIn } from '../paused-in.ts';
import { restored } from '../queue.ts';
import { runError } from '../../run-error.ts';
import type { SessionEffect } from '../session-effect.ts';
import type { OutcomeOf } from '../session-input.ts';
import type { ActiveRun, Move, QueuedTurn, SessionModel } from '../session-model.ts';
import { mergedTree } from '../../branches/session-tree.ts';
import { isOpen, isWaiting } from '../state-facts.ts';
import { to, type Transition } from '../transition.ts';

/**
 * Takes over from a leader that is gone or handed over. It starts from the stored record and the newer
 * followed state.
 * An open run is interrupted, or continues with `resume`.
 */
export function takenOver(model: SessionModel, outcome: OutcomeOf<'opened'>, state: AgentState): Transition {
  const { record, takeover, resume } = outcome;
  const { isFollowing: _isFollowing, isUnheard: _isUnheard, conflict: _conflict, ...own } = model;
  if (model.phase === 'deleted' && record === null) return to(own, { type: 'forget-store' });
  const found = takeover?.own ?? record?.state ?? state;
  const run = model.run ?? model.conflict?.run ?? null;
  const left = run === null ? model.paused : { turn: run.turn, options: run.options, steered: run.steered };
  const queue = queueOf({ ...model, run }, outcome, found);
  const move = unmoved(run, found);
  const { elsewhere = null } = model;
  const isResumed = resume && elsewhere === null;
  const isInterrupted = isOpen(found) && !isWaiting(found) && !isResumed;
  const failure = runError(found);
  const next: SessionModel = {
    ...own,
    phase: 'open',
    run: null,
    paused: isOpen(found) ? (left ?? pausedIn(found)) : null,
    goesOn: isResumed && isOpen(found) && run?.isStopping !== true && (!isWaiting(found) || needsRun(found)),
    queue,
    moves: move === null ? model.moves : [move, ...model.moves],
    isHeld: failure !== null || model.isHeld || (isInterrupted && queue.length > 0),
    error: failure,
    retrying: [],
    tree: record === null ? model.tree : mergedTree(record, model.tree, found),
    elsewhere,
  };
  const watched: readonly SessionEffect[] = elsewhere === null ? [] : [{ type: 'watch-run' }];
  const begin = (base: AgentState): SessionEffect => ({ type: 'new-journal', base, behind: [] });
  const read = record === null ? [] : [begin(record.state)];
  const told = takeover?.own ?? null;
  if (told === null && record !== null) return to(next, ...read, ...watched);
  // A new journal is saved whole.
  return to(next, ...read, ...(told === null ? [] : [begin(told)]), { type: 'save-soon' }, ...watched);
}

/** The turns that had not begun, here or in the stored record. */
function queueOf(
  { run, queue }: SessionModel,
  { record }: OutcomeOf<'opened'>,
  found: AgentState,
): readonly QueuedTurn[] {
  const said = placesIn(branchMessages(found));
  const begun = run === null || run.begun === null || hasBegun(run, found) ? [] : [run.begun];
  const unsaid = unmoved(run, found) === null ? begun : [];
  const own = [...unsaid, ...queue.filter(({ message }) => !said.has(message.id))];
  const ids = new Set(own.map(({ message }) => message.id));
  const stored = record === null ? [] : restored(record.queue, found);
  const others = stored.filter(({ message }) => !ids.has(message.id));
  const isSaid = ({ message }: QueuedTurn): boolean => said.has(message.id);
  // A message on the branch without a run is answered before another one is appended.
  return [...others.filter(isSaid), ...own, ...others.filter((entry) => !isSaid(entry))];
}

/** The move that the run has not made; the branch is still the one to be left. */
function unmoved(run: ActiveRun | null, found: AgentState): Move | null {
  if (run === null || run.move === null || hasBegun(run, found)) return null;
  const isThere = run.begun !== null && placesIn(branchMessages(found)).has(run.begun.message.id);
  return isThere ? null : run.move;
}

/** True when the execution of the run is in the state. */
function hasBegun({ executionBefore }: ActiveRun, { execution }: AgentState): boolean {
  return execution !== null && execution.executionId !== executionBefore;
}
