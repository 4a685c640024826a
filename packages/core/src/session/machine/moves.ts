import type { ErrorInfo } from '../../graph/error-info.ts';
import { append } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Turn } from '../agent-session.ts';
import { lineBefore, stateAt } from '../branches/line-before.ts';
import { isOfUser, line, placesIn, turnAt } from '../branches/line.ts';
import { pausedIn } from './paused-in.ts';
import { idle, messageNotFound } from './refusals.ts';
import { beginMessage, newRun } from './run-control.ts';
import { runError } from '../run-error.ts';
import type { MoveRequest } from './session-input.ts';
import type { Move, SessionModel } from './session-model.ts';
import { liveMessages } from './state-facts.ts';
import { holds, type SessionTree, withBranch, withCheckpoint } from '../branches/session-tree.ts';
import type { SessionBranch } from '../stores/session-store.ts';
import { andThen, tell, to, type Transition } from './transition.ts';

type Wish = Pick<MoveRequest, 'kind' | 'messageId'>;

/** Why a move cannot be made from where the session stands; null when it can. */
export function whyNot(
  { tree }: SessionModel,
  state: AgentState,
  { kind, messageId }: Wish,
): ErrorInfo | null {
  if (messageId === null) return turnAt(line(state), Infinity) < 0 ? idle() : null;
  const messages = [...line(state), ...liveMessages(state)];
  const at = messages.findIndex(({ id }) => id === messageId);
  if (kind === 'switch')
    return at < 0 && branchOf(tree, messageId) === undefined ? messageNotFound(messageId) : null;
  const place = kind === 'edit' ? at : turnAt(messages, at);
  const message = messages[place];
  return at < 0 || message === undefined || !isOfUser(message) ? messageNotFound(messageId) : null;
}

/** Begins the move that comes first; the state is that of the line that is left. */
export function beginMove(model: SessionModel, state: AgentState, move: Move): Transition {
  const { turn, messageId } = move;
  const kind = turn.kind as Wish['kind'];
  const left = { ...model, moves: model.moves.slice(1) };
  const error = whyNot(model, state, { kind, messageId });
  if (error !== null) return tell(left, [{ ...turn, status: 'refused', error }]);
  if (kind === 'switch') return switched(left, state, move);
  return begunAgain(
    { ...left, paused: null, goesOn: false, error: null, isHeld: false, retrying: [] },
    state,
    move,
  );
}

/** Goes to the line that holds the message, as it was left: also with a run that waits or was interrupted. */
function switched(model: SessionModel, state: AgentState, { turn, at, messageId }: Move): Transition {
  const done = { ...turn, status: 'done' as const };
  const branch = placesIn(line(state)).has(messageId ?? '')
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

/** A new line on what stood before a turn: with what an edit says, or with the same message again. */
function begunAgain(model: SessionModel, state: AgentState, move: Move): Transition {
  const { turn, at, message, conflicts, options } = move;
  const messages = line(state);
  const said = messages[
    turnAt(messages, placesIn(messages).get(move.messageId ?? '') ?? Infinity)
  ] as Message;
  const before = lineBefore(state, model.tree, said.id);
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

/** The tree with the line that is left, unless all that it says stands in another one: no message is lost. */
function kept(tree: SessionTree, others: readonly AgentState[], branch: SessionBranch): SessionTree {
  const isThere = [...others, ...tree.branches.map(({ state }) => state)].some((other) =>
    holds(other, branch.state),
  );
  return isThere ? tree : withBranch(tree, branch);
}

/** The branch that holds a message; the one that was left last. */
function branchOf({ branches }: SessionTree, messageId: string): SessionBranch | undefined {
  return branches.findLast(({ state }) => placesIn(line(state)).has(messageId));
}

/** Takes back what has not begun, and tells who asked for it. */
export function movesCancelled(model: SessionModel): Transition {
  if (model.moves.length === 0) return to(model);
  const turns = model.moves.map(({ turn }): Turn => ({ ...turn, status: 'cancelled' }));
  return tell({ ...model, moves: [] }, turns);
}
