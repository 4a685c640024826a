import { stopReason } from '../../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../../graph/types.ts';
import { newTurn } from '../new-turn.ts';
import { runError } from '../../run-error.ts';
import type { OutcomeOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { reply, to, type Transition, watching } from '../transition.ts';

/** A command that was taken by a tab that is gone: who gave it is told what becomes of its turn, or what became. */
export function attach(
  model: SessionModel,
  { commandId, kind }: OutcomeOf<'attach'>,
  state: AgentState,
): Transition {
  if (kind === null) return to(model, reply(commandId, null));
  const { run, paused, queue, moves, retry } = model;
  const waiting = [...queue, ...moves, ...(retry === null ? [] : [retry])];
  if (waiting.some(({ turn }) => turn.id === commandId)) return to(watching(model, commandId, commandId));
  // An answer belongs to the turn that it was given in.
  const isInRun = kind === 'send' || kind === 'edit' || kind === 'regenerate' ? commandId : null;
  const going = run ?? paused;
  const turn = [going?.turn, ...(going?.steered ?? [])].find((entry) => entry?.id === (isInRun ?? entry?.id));
  if (turn !== undefined && run !== null) return to(watching(model, commandId, turn.id));
  if (turn !== undefined) return to(model, reply(commandId, { ...turn, status: 'awaiting-input' }));
  const done = { ...newTurn(commandId, kind, 'done'), error: runError(state) };
  const isStopped = state.execution?.status === 'stopped';
  const outcome = done.error !== null ? 'failed' : isStopped ? 'stopped' : 'completed';
  return to(model, reply(commandId, { ...done, outcome, stopReason: stopReason(state) }));
}
