import type { AgentState } from '../../graph/types.ts';
import { answer } from './actions/answer.ts';
import { attach } from './actions/attach.ts';
import { reset, update } from './actions/change.ts';
import { dispose } from './actions/dispose.ts';
import { followed } from './actions/followed.ts';
import { fork } from './actions/fork.ts';
import { move } from './actions/move.ts';
import { cancelQueued, clearError, rename, setDraft } from './actions/notes.ts';
import { resume } from './actions/resume.ts';
import { retry } from './actions/retry.ts';
import { send } from './actions/send.ts';
import { stop } from './actions/stop.ts';
import { deleted, opened, readAgain, restored, stored } from './actions/store-outcomes.ts';
import { runOver } from './run-control.ts';
import type { OutcomeOf, SessionInput } from './session-input.ts';
import type { SessionModel } from './session-model.ts';
import { emptyTree } from '../branches/empty-tree.ts';
import { withCheckpoint } from '../branches/session-tree.ts';
import { to, type Transition } from './transition.ts';

export { advance } from './advance.ts';

/**
 * What an input makes of a session, given the agent's state as it stands at that moment, and what is to be done. Pure:
 * nothing is read or changed but the arguments. Once the effects are done, `advance` begins what can begin.
 */
export function reduce(model: SessionModel, input: SessionInput, state: AgentState): Transition {
  switch (input.type) {
    case 'send':
      return send(model, input, state);
    case 'stop':
      return stop(model, input, state);
    case 'resume':
      return resume(model, input, state);
    case 'retry':
      return retry(model, input, state);
    case 'answer':
      return answer(model, input, state);
    case 'update':
      return update(model, input);
    case 'reset':
      return reset(model, input);
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
    case 'dispose':
      return dispose(model, input, state);
    case 'opened':
      return opened(model, input, state);
    case 'stored':
      return stored(model, input);
    case 'read-again':
      return readAgain(model, input);
    case 'checkpoint':
      return to({ ...model, tree: withCheckpoint(model.tree, input.checkpoint) });
    case 'erased':
      return to({ ...model, tree: emptyTree });
    case 'steered':
      return steered(model, input);
    case 'retrying':
      return to({ ...model, retrying: input.retrying });
    case 'followed':
      return followed(model, input);
    case 'attach':
      return attach(model, input, state);
    case 'deleted':
      return deleted(model);
    case 'restored':
      return restored(model);
    case 'run-over':
      return model.run?.id === input.runId ? runOver(model, model.run, state, input.outcome) : to(model);
  }
}

/** Messages were taken into the run: their turns end with it. */
function steered(model: SessionModel, { runId, ids }: OutcomeOf<'steered'>): Transition {
  const { run } = model;
  if (run === null || run.id !== runId) return to(model);
  const taken = model.queue.filter(({ message }) => ids.includes(message.id));
  const queue = model.queue.filter((entry) => !taken.includes(entry));
  const turns = taken.map(({ turn }) => ({ ...turn, status: 'running' as const }));
  return to({ ...model, queue, run: { ...run, steered: [...run.steered, ...turns] } });
}
