import { stopReason } from '../../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../../graph/types.ts';
import { branchMessages, placesIn } from '../../branches/branch-messages.ts';
import { newTurn } from '../new-turn.ts';
import { isOpen } from '../state-facts.ts';
import { runError } from '../../run-error.ts';
import type { OutcomeOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { reply, to, type Transition, watching } from '../transition.ts';

/**
 * Reports the turn of a command that a former leader took: later when the turn is open, at once when it has
 * ended.
 */
export function attach(
  model: SessionModel,
  { commandId, kind }: OutcomeOf<'attach'>,
  state: AgentState,
): Transition {
  if (kind === null) return to(model, reply(commandId, null));
  const { run, paused, queue, moves, retry } = model;
  const waiting = [...queue, ...moves, ...(retry === null ? [] : [retry])];
  if (waiting.some(({ turn }) => turn.id === commandId)) return to(watching(model, commandId, commandId));
  // An answer belongs to the turn in which it was given.
  const isInRun = kind === 'send' || kind === 'edit' || kind === 'regenerate' ? commandId : null;
  const going = run ?? model.conflict?.run ?? paused;
  const turn = [going?.turn, ...(going?.steered ?? [])].find((entry) => entry?.id === (isInRun ?? entry?.id));
  if (turn !== undefined && (run !== null || going !== paused))
    return to(watching(model, commandId, turn.id));
  if (turn !== undefined) return to(model, reply(commandId, { ...turn, status: 'awaiting-input' }));
  if (isInRun !== null && !isOpen(state) && !isAnsweredIn(model, state, commandId)) {
    const left = newTurn(commandId, kind, 'done');
    return to(model, reply(commandId, { ...left, outcome: 'stopped', stopReason: 'user-requested' }));
  }
  // An open run without an active one waits for a person.
  if (isOpen(state)) return to(model, reply(commandId, newTurn(commandId, kind, 'awaiting-input')));
  const done = { ...newTurn(commandId, kind, 'done'), error: runError(state) };
  const isStopped = state.execution?.status === 'stopped';
  const outcome = done.error !== null ? 'failed' : isStopped ? 'stopped' : 'completed';
  return to(model, reply(commandId, { ...done, outcome, stopReason: stopReason(state) }));
}

/** True when an answer stands behind a message, in the branch that holds it. */
function isAnsweredIn({ tree }: SessionModel, state: AgentState, messageId: string): boolean {
  return [state, ...tree.branches.map((branch) => branch.state)].some((other) => {
    const messages = branchMessages(other);
    const at = placesIn(messages).get(messageId) ?? -1;
    return at >= 0 && messages[at + 1]?.role === 'assistant';
  });
}
