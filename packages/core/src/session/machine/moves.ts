import { present } from '../../kit/json.ts';
import { queuedEdit, retryCancelled } from './queue.ts';
import { withModelOf } from '../../graph/agent-state/chosen-model.ts';
import type { AgentState } from '../../graph/types.ts';
import { andThen, givenTurn, refuse, settleTurns, to, type Transition, addWatcher } from './transition.ts';
import { isEmptyMessage, messageNotFound, refusal, namedRefusal, unsettledError } from './refusals.ts';
import { runError } from '../../graph/agent-state/ending-error.ts';
import { beginMessage, newRun, pausedIn, stopRun } from './run-control.ts';
import type { CommandOf, MoveRequest } from './session-input.ts';
import type { Move, SessionModel } from './session-model.ts';
import { keptMessage } from '../store/queued-message.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import { append, section } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';
import { branchBefore, stateAtCheckpoint } from '../branches/branch-before.ts';
import { branchMessages, isOfUser, placesIn, turnAt } from '../branches/branch-messages.ts';
import { isOpen, liveMessages } from './state-facts.ts';
import { holds, type SessionTree, withBranch, withCheckpoint } from '../branches/session-tree.ts';
import type { SessionBranch } from '../store/session-store.ts';
import type { ForkPoint } from '../agent-session.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';

/** Leaves the active branch for a new or another one, after stopping an active run. */
export function move(model: SessionModel, command: CommandOf<'move'>, state: AgentState): Transition {
  const { id, kind, message } = command;
  const error =
    unsettledError(model) ??
    (message !== null && isEmptyMessage(message) ? namedRefusal('emptyMessage') : null) ??
    // Behind another move the target is checked when its turn comes.
    (model.moves.length > 0 ? null : whyNot(model, state, command));
  if (error !== null) return refuse(model, { id, kind, error });
  const moves = [...model.moves, moveOf(command)];
  const waiting = andThen(retryCancelled(model), (next) => to(addWatcher({ ...next, moves }, id, id)));
  const { run } = model;
  if (run === null) return waiting;
  return andThen(waiting, (next) =>
    stopRun(next, run, 'The user continued on another branch of the conversation'),
  );
}

function moveOf(command: CommandOf<'move'>): Move {
  const { id, by, kind, at, messageId, message, options, isOfOtherTab = false } = command;
  const { model } = options;
  const own = model === undefined ? {} : { options: { model } };
  const given = present({ by });
  return {
    turn: givenTurn({ id, ...given }, kind),
    at,
    messageId,
    message: message === null ? null : { ...keptMessage(message), ...own, ...given, id, isSteered: false },
    options,
    conflicts: 0,
    ...(isOfOtherTab ? { isOfOtherTab } : {}),
  };
}

type Wish = Pick<MoveRequest, 'kind' | 'messageId'>;

/** Returns the reason why a move is impossible from the current state; null when it is possible. */
function whyNot({ tree }: SessionModel, state: AgentState, { kind, messageId }: Wish): ErrorInfo | null {
  if (messageId === null) return turnAt(branchMessages(state), Infinity) < 0 ? namedRefusal('idle') : null;
  const messages = [...branchMessages(state), ...liveMessages(state)];
  const at = messages.findIndex(({ id }) => id === messageId);
  if (kind === 'switch')
    return at < 0 && branchOf(tree, messageId) === undefined ? messageNotFound(messageId) : null;
  const place = kind === 'edit' ? at : turnAt(messages, at);
  const message = messages[place];
  return at < 0 || message === undefined || !isOfUser(message) ? messageNotFound(messageId) : null;
}

/** Begins the first move. `state` is that of the branch that is left. */
export function beginMove(model: SessionModel, state: AgentState, move: Move): Transition {
  const { turn, messageId } = move;
  const kind = turn.kind as Wish['kind'];
  const left = { ...model, moves: model.moves.slice(1) };
  const error = whyNot(model, state, { kind, messageId });
  if (error !== null) return unmade(left, move, error);
  if (kind === 'switch') return switchBranch(left, state, move);
  return begunAgain(
    { ...left, paused: null, goesOn: false, error: null, isHeld: false, retrying: [] },
    state,
    move,
  );
}

/** Switches to the branch that holds the message, with its waiting or interrupted run. */
function switchBranch(model: SessionModel, state: AgentState, { turn, at, messageId }: Move): Transition {
  const done = { ...turn, status: 'done' as const };
  const branch = placesIn(branchMessages(state)).has(messageId ?? '')
    ? undefined
    : branchOf(model.tree, messageId ?? '');
  if (branch === undefined) return settleTurns(model, [done]);
  const others = { ...model.tree, branches: model.tree.branches.filter((entry) => entry !== branch) };
  const error = runError(branch.state);
  const there: SessionModel = {
    ...model,
    tree: keepBranch(others, [branch.state], { id: turn.id, leftAt: at, state }),
    paused: pausedIn(branch.state),
    goesOn: false,
    error,
    isHeld: error !== null || model.queue.length > 0,
    retrying: [],
  };
  // Breakpoints and the model are those of the session, and not of a branch.
  const own = withModelOf(state, branch.state);
  const { breakpoints } = state;
  const base = own.breakpoints.length + breakpoints.length === 0 ? own : { ...own, breakpoints };
  const going = to(there, { type: 'new-journal', base, behind: [] }, { type: 'save-soon' });
  // It is written at once: a person who reloads the page expects the branch that was chosen last.
  return andThen(going, (next) => settleTurns(next, [done], 'saved'));
}

/** Begins a new branch before a turn: with the edited message, or with the same message again. */
function begunAgain(model: SessionModel, state: AgentState, move: Move): Transition {
  const { turn, at, message, conflicts, options } = move;
  const messages = branchMessages(state);
  const said = messages[
    turnAt(messages, placesIn(messages).get(move.messageId ?? '') ?? Infinity)
  ] as Message;
  const before = branchBefore(state, model.tree, said.id);
  const branch = { id: conflicts === 0 ? turn.id : `${turn.id}-${conflicts}`, leftAt: at, state };
  if (message !== null) {
    const base = stateAtCheckpoint(state, before);
    const tree = keepBranch(model.tree, [base], branch);
    const begun = { turn, message, lane: 'queued', conflicts } as const;
    const started = beginMessage({ ...model, tree }, base, { begun, move });
    return { ...started, effects: [{ type: 'new-journal', base, behind: [] }, ...started.effects] };
  }
  const base = stateAtCheckpoint(state, { ...before, store: append(before.store, [said]) });
  const tree = keepBranch(withCheckpoint(model.tree, before), [base], branch);
  const run = newRun(base, { turn, options, steered: [] }, { conflicts, move });
  return to(
    { ...model, tree, run },
    { type: 'new-journal', base, behind: [] },
    { type: 'store', runId: run.id },
  );
}

/** The tree with the branch that is left, unless another branch holds all of its messages. No message is lost. */
function keepBranch(tree: SessionTree, others: readonly AgentState[], branch: SessionBranch): SessionTree {
  const isThere = [...others, ...tree.branches.map(({ state }) => state)].some((other) =>
    holds(other, branch.state),
  );
  return isThere ? tree : withBranch(tree, branch);
}

/** The branch that holds a message; of several, the one left last. */
function branchOf({ branches }: SessionTree, messageId: string): SessionBranch | undefined {
  return branches.findLast(({ state }) => placesIn(branchMessages(state)).has(messageId));
}

/** Ends a move whose message has left the branch. An edit of another tab, which may be gone, waits in the queue. */
function unmade(model: SessionModel, move: Move, error: ErrorInfo): Transition {
  const entry = move.isOfOtherTab === true ? queuedEdit(move) : null;
  if (entry === null) return settleTurns(model, [{ ...move.turn, status: 'refused', error }]);
  const waiting: SessionModel = { ...model, queue: [...model.queue, entry], isHeld: true };
  const settled = andThen(to(waiting), (next) => settleTurns(next, [{ ...entry.turn, error }], 'saved'));
  return { ...settled, effects: [{ type: 'save-soon' }, ...settled.effects] };
}

/** Saves the messages up to a point as a session of its own; this session does not change. */
export function fork(model: SessionModel, command: CommandOf<'fork'>, state: AgentState): Transition {
  const { id: commandId, sessionId, messageId, stepId } = command;
  const end = forkEnd(state, command);
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  if (end === null)
    return to(model, { type: 'reject', commandId, error: messageNotFound(messageId ?? stepId ?? '') });
  return to(model, { type: 'fork', commandId, sessionId, end });
}

/**
 * Returns the number of messages that a fork begins with; null when no message of the active branch has the id. A call
 * stays with its result: all messages of a step come along, and none of the step in flight.
 */
export function forkEnd(state: AgentState, { messageId, stepId }: ForkPoint): number | null {
  const said = section(state.context.store);
  const trace = section(state.context.store, 'execution_buffer');
  const limit = settledEnd(state, said);
  if (messageId === undefined && stepId === undefined) return limit;
  const at = stepId === undefined ? (placesIn(said).get(messageId ?? '') ?? -1) : lastOf(said, stepId);
  if (at >= 0) return Math.min(endOfStep(said, at), limit);
  // A trace in its own section belongs to the last message.
  const isInTrace = stepId === undefined ? placesIn(trace).has(messageId ?? '') : lastOf(trace, stepId) >= 0;
  return isInTrace ? limit : null;
}

const stepOf = ({ metadata }: Message): unknown => metadata['step_id'];

function lastOf(messages: readonly Message[], stepId: string): number {
  return messages.findLastIndex((message) => stepOf(message) === stepId);
}

function endOfStep(messages: readonly Message[], at: number): number {
  const step = stepOf(messages[at] as Message);
  let end = at + 1;
  while (step !== undefined && end < messages.length && stepOf(messages[end] as Message) === step) end++;
  return end;
}

/** Returns the index after the last finished step. */
function settledEnd(state: AgentState, messages: readonly Message[]): number {
  const step = isOpen(state) ? currentStep(state) : null;
  const first = step === null ? -1 : messages.findIndex((message) => stepOf(message) === step.id);
  return first < 0 ? messages.length : first;
}
