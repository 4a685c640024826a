import { type ErrorInfo, errorInfo } from '../../../graph/error-info.ts';
import type { AgentState } from '../../../graph/types.ts';
import { type AddressedEvent, answerCall, type CallAnswer } from '../../../run/answer-call.ts';
import type { Decision } from '../../agent-session.ts';
import { noAnswer, unsettledRun } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { newTurn } from '../new-turn.ts';
import { refuse, to, type Transition, watching } from '../transition.ts';

/** Records the answers to waiting calls, all or none. They continue the active run or an open one. */
export function answer(model: SessionModel, command: CommandOf<'answer'>, state: AgentState): Transition {
  const { id, decisions } = command;
  const { run } = model;
  const error = unsettledRun(model) ?? (run?.isStopping ? noAnswer() : null);
  const found = error === null ? eventsOf(state, decisions) : { error };
  if ('error' in found) return refuse(model, { id, kind: 'answer', error: found.error });
  const effects = [{ type: 'commit' as const, events: found.events }, { type: 'save-soon' as const }];
  if (run !== null) return to(watching(model, id, run.turn.id), ...effects);
  const paused = model.paused ?? { turn: newTurn(id, 'answer'), options: {}, steered: [] };
  return to(watching({ ...model, paused, goesOn: true }, id, paused.turn.id), ...effects);
}

function eventsOf(
  state: AgentState,
  decisions: Readonly<Record<string, Decision>>,
): { events: readonly AddressedEvent[] } | { error: ErrorInfo } {
  const entries = Object.entries(decisions);
  if (entries.length === 0) return { error: noAnswer() };
  try {
    return { events: entries.flatMap(([callId, decision]) => answerCall(state, callId, toAnswer(decision))) };
  } catch (thrown) {
    return { error: errorInfo(thrown) };
  }
}

function toAnswer(decision: Decision): CallAnswer {
  if ('output' in decision) return { type: 'respond', output: decision.output };
  const { approved, ...rest } = decision;
  return approved ? { ...rest, type: 'approve' } : { ...rest, type: 'reject' };
}
