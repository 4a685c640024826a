import { standingIn, withChangesFollowed } from '../../graph/follow-changes.ts';
import type { MessageStore } from '../../graph/message-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { freeze } from '../../kit/freeze.ts';
import { mapSame } from '../../kit/memoize.ts';
import { needsRun } from '../../run/answer-call.ts';
import type { Turn } from '../agent-session.ts';
import { emptyTree, type SessionTree, withCheckpoint } from '../branches/session-tree.ts';
import { answeredTurn } from './actions/answered-turn.ts';
import {
  cancelQueued,
  chooseModel,
  clearError,
  rate,
  rename,
  resetSession,
  setDraft,
  update,
} from './actions/changes.ts';
import { continueRun } from './actions/continue-run.ts';
import { setBreaks } from './actions/debug.ts';
import { arrive, depart, departTo } from './actions/departure.ts';
import { dispose } from './actions/dispose.ts';
import { handleDeleted, handleOpened, handleRestored, handleStored } from './actions/store-outcomes.ts';
import { answer, resolveConflict, resume, retry, send, stop } from './actions/turns.ts';
import { beginMove, fork, move } from './moves.ts';
import { beginMessage, newRun, pausedRun, runOver, settle } from './run-control.ts';
import type { OutcomeOf, OutcomeOfOthers, SessionInput } from './session-input.ts';
import { isElsewhere, type QueuedTurn, type SessionModel } from './session-model.ts';
import { isAnswered, isOpen, waitsForPerson } from './state-facts.ts';
import { andThen, type Others, settleTurns, to, type Transition } from './transition.ts';

type Handler<Input extends SessionInput> = (
  model: SessionModel,
  input: Input,
  state: AgentState,
  others: Others | null,
) => Transition;

const byOthers: Handler<OutcomeOfOthers> = (model, input, state, others) =>
  others?.(model, input, state) ?? to(model);

const handlers: {
  readonly [Type in SessionInput['type']]: Handler<Extract<SessionInput, { readonly type: Type }>>;
} = {
  send,
  stop,
  resume,
  retry,
  continue: continueRun,
  answer,
  debug: setBreaks,
  update,
  reset: resetSession,
  move,
  fork,
  rename,
  rate,
  'choose-model': chooseModel,
  'set-draft': setDraft,
  'clear-error': clearError,
  'cancel-queued': cancelQueued,
  depart,
  arrive,
  dispose,
  opened: handleOpened,
  stored: handleStored,
  'resolve-conflict': resolveConflict,
  checkpoint: (model, { checkpoint }) => to({ ...model, tree: withCheckpoint(model.tree, checkpoint) }),
  erased: (model) => to({ ...model, tree: emptyTree }),
  'texts-erased': (model, input) => to({ ...model, tree: treeAfterErasure(model.tree, input) }),
  steered: handleSteered,
  retrying: (model, { retrying }) => to({ ...model, retrying }),
  deleted: handleDeleted,
  restored: handleRestored,
  followed: byOthers,
  attach: byOthers,
  'head-changed': byOthers,
  overtaken: byOthers,
  'read-again': byOthers,
  'other-gone': byOthers,
  'run-over': (model, { runId, outcome }, state) =>
    model.run?.id === runId ? runOver(model, model.run, state, outcome) : to(model),
};

/**
 * Returns the next model and the effects to perform for an input, given the current state of the agent. Pure: it reads
 * and changes nothing but its arguments. `others` handles what other tabs and devices do to the stored session; null
 * without a store, where nobody can. Once the effects are done, `advance` begins the next work.
 */
export function reduce(
  model: SessionModel,
  input: SessionInput,
  state: AgentState,
  others: Others | null,
): Transition {
  return (handlers[input.type] as Handler<SessionInput>)(model, input, state, others);
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

function answeredAlready(
  model: SessionModel,
  isDone: (entry: QueuedTurn) => boolean,
  state: AgentState,
): Transition {
  const turns = model.queue.filter(isDone).map(({ turn }) => answeredTurn(turn, state));
  return settleTurns({ ...model, queue: model.queue.filter((entry) => !isDone(entry)) }, turns, 'saved');
}

function goOn(model: SessionModel, state: AgentState): Transition {
  const paused = pausedRun(model, state, 'resume');
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

/** The tree after texts were removed from the active branch; other branches hold the messages as it does. */
function treeAfterErasure(
  tree: SessionTree,
  { ids, state }: { readonly ids: readonly string[]; readonly state: AgentState },
): SessionTree {
  const erased = new Set(ids);
  const standing = standingIn(state, erased);

  function storeOf(store: MessageStore): MessageStore {
    const sections = each(store.sections, (section) => {
      const messages = each(section.messages, (message) =>
        erased.has(message.id) ? (standing.get(message.id) ?? null) : message,
      );
      return messages === section.messages ? section : { ...section, messages };
    });
    return sections === store.sections ? store : { sections };
  }

  const branches = each(tree.branches, (branch) => {
    const store = storeOf(branch.state.context.store);
    const moved = { ...branch.state, context: { ...branch.state.context, store } };
    const fields = withChangesFollowed(moved, { changed: erased, erased });
    const { execution, retained } = branch.state;
    const isSame = fields.execution === execution && fields.retained === retained;
    if (isSame && store === branch.state.context.store) return branch;
    return freeze({ ...branch, state: { ...moved, ...fields } });
  });
  const checkpoints = each(tree.checkpoints, (checkpoint) => {
    const store = storeOf(checkpoint.store);
    return store === checkpoint.store ? checkpoint : freeze({ ...checkpoint, store });
  });
  return branches === tree.branches && checkpoints === tree.checkpoints ? tree : { branches, checkpoints };
}

/** Maps a list and drops null; returns the same list when nothing changed. */
function each<Item>(list: readonly Item[], update: (item: Item) => Item | null): readonly Item[] {
  const updated = mapSame<Item | null>(list, (item) => item && update(item));
  return updated === list ? list : updated.filter((item) => item !== null);
}
