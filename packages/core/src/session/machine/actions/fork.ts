import type { AgentState } from '../../../graph/types.ts';
import { forkEnd } from '../fork-end.ts';
import { messageNotFound, refusal } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { to, type Transition } from '../transition.ts';

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
