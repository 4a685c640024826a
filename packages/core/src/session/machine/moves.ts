import type { ErrorInfo } from '../../graph/error-info.ts';
import { append } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { branchBefore, stateAt } from '../branches/branch-before.ts';
import { isOfUser, branchMessages, placesIn, turnAt } from '../branches/branch-messages.ts';
import { pausedIn } from './paused-in.ts';
import { idle, messageNotFound } from './refusals.ts';
import { beginMessage, newRun } from './run-control.ts';
import { runError } from '../run-error.ts';
import type { MoveRequest } from './session-input.ts';
import type { Move, QueuedTurn, SessionModel } from './session-model.ts';
import { liveMessages } from './state-facts.ts';
import { holds, type SessionTree, withBranch, withCheckpoint } from '../branches/session-tree.ts';
import type { SessionBranch } from '../stores/session-store.ts';
import { andThen, tell, to, type Transition } from './transition.ts';

type Wish = Pick<MoveRequest, 'kind' | 'messageId'>;

/** Returns the reason why a move is impossible from the current state; null when it is possible. */
export function whyNot(
  { tree }: SessionModel,
  state: AgentState,
  { kind, messageId }: Wish,
): ErrorInfo | null {
  if (messageId === null) return turnAt(branchMessages(state), Infinity) < 0 ? idle() : null;
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
  if (kind === 'switch') return switched(left, state, move);
  return begunAgain(
    { ...left, paused: null, goesOn: false, error: null, isHeld: false, retrying: [] },
    state,
    move,
  );
}

/** Switches to the branch that holds the message, with its waiting or interrupted run. */
function switched(model: SessionModel, state: AgentState, { turn, at, messageId }: Move): Transition {
  const done = { ...turn, status: 'done' as const };
  const branch = placesIn(branchMessages(state)).has(messageId ?? '')
    ? undefined
    : branchOf(model.tree, messageId ?? '');
  if (branch === undefined) return tell(model, [done]);
  const others = { ...model.tree, branches: model.tree.branches.filter((entry) => entry !== branch) };
  const error = runError(branch.state);
  const there: SessionModel = {
    ...model,
    tree: kept(others, [branch.state], { id: turn.id, leftAt: at, state }),
    paused: pausedIn(branch.state),
    goesOn: false,
    error,
    isHeld: error !== null || model.queue.length > 0,
    retrying: [],
  };
  const going = to(there, { type: 'new-journal', base: branch.state, behind: [] }, { type: 'save-soon' });
  return andThen(going, (next) => tell(next, [done]));
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
    const base = stateAt(state, before);
    const tree = kept(model.tree, [base], branch);
    const begun = { turn, message, lane: 'queued', conflicts } as const;
    const started = beginMessage({ ...model, tree }, base, { begun, move });
    return { ...started, effects: [{ type: 'new-journal', base, behind: [] }, ...started.effects] };
  }
  const base = stateAt(state, { ...before, store: append(before.store, [said]) });
  const tree = kept(withCheckpoint(model.tree, before), [base], branch);
  const run = newRun(base, { turn, options, steered: [] }, { conflicts, move });
  return to(
    { ...model, tree, run },
    { type: 'new-journal', base, behind: [] },
    { type: 'store', runId: run.id },
  );
}

/**
 * The tree with the branch that is left, unless another branch holds all of its messages. No message is lost.
 */
function kept(tree: SessionTree, others: readonly AgentState[], branch: SessionBranch): SessionTree {
  const isThere = [...others, ...tree.branches.map(({ state }) => state)].some((other) =>
    holds(other, branch.state),
  );
  return isThere ? tree : withBranch(tree, branch);
}

/** The branch that holds a message; of several, the one left last. */
function branchOf({ branches }: SessionTree, messageId: string): SessionBranch | undefined {
  return branches.findLast(({ state }) => placesIn(branchMessages(state)).has(messageId));
}

/**
 * Ends a move whose message is not in the active branch any more, because another move came first. The text of an edit
 * of another tab, which may be gone, waits in the queue for the user.
 */
function unmade(model: SessionModel, move: Move, error: ErrorInfo): Transition {
  const entry = move.isOfOtherTab === true ? queuedEdit(move) : null;
  if (entry === null) return tell(model, [{ ...move.turn, status: 'refused', error }]);
  const waiting: SessionModel = { ...model, queue: [...model.queue, entry], isHeld: true };
  const told = andThen(to(waiting), (next) => tell(next, [{ ...entry.turn, error }], 'saved'));
  return { ...told, effects: [{ type: 'save-soon' }, ...told.effects] };
}

/** The text of an edit as a queued message; null for a move without a text. */
export function queuedEdit({ turn, message, conflicts }: Move): QueuedTurn | null {
  if (message === null) return null;
  return { turn: { ...turn, status: 'queued' }, message, lane: 'queued', conflicts };
}

/**
 * Cancels moves that have not begun and settles their promises. The texts of edits go to the queue of a stored session.
 */
export function movesCancelled(model: SessionModel): Transition {
  if (model.moves.length === 0) return to(model);
  const entries = model.moves.flatMap((move) => (model.hasStore ? (queuedEdit(move) ?? []) : []));
  const kept = new Set(entries.map(({ turn }) => turn.id));
  const turns = model.moves.flatMap(({ turn }) =>
    kept.has(turn.id) ? [] : [{ ...turn, status: 'cancelled' as const }],
  );
  return tell({ ...model, moves: [], queue: [...model.queue, ...entries] }, turns);
}
