import { messages } from '../../../graph/agent-state/accessors.ts';
import type { ErrorInfo } from '../../../graph/error-info.ts';
import type { AgentState } from '../../../graph/types.ts';
import { answered, busy, idle, unsettledRun } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { newTurn } from '../new-turn.ts';
import { resolveConflict } from './overtaken.ts';
import { refuse, to, type Transition, watching } from '../transition.ts';

/** Runs the last turn again. A session that could not be read is read again. */
export function retry(model: SessionModel, { id }: CommandOf<'retry'>, state: AgentState): Transition {
  if (model.phase === 'unreadable' && !model.isDisposed)
    return to({ ...model, phase: 'loading', error: null }, { type: 'open-again', commandId: id });
  if (model.conflict?.phase === 'unread' && !model.isDisposed)
    return resolveConflict(model, { type: 'resolve-conflict', id, policy: model.conflict.policy });
  const error = unsettledRun(model) ?? (model.run === null ? noTurn(state) : busy());
  if (error !== null) return refuse(model, { id, kind: 'retry', error });
  const turn = newTurn(id, 'retry');
  return to(watching({ ...model, retry: { turn, conflicts: 0 }, isHeld: false }, id, id));
}

/**
 * Returns the error when there is no turn to run again: no messages, or a complete answer. An incomplete
 * answer is left out.
 */
function noTurn(state: AgentState): ErrorInfo | null {
  const last = messages(state).findLast(({ metadata }) => metadata['incomplete'] !== true);
  if (last === undefined) return idle();
  return last.role === 'assistant' && last.metadata['is_trace'] !== true ? answered() : null;
}
