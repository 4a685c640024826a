import type { ErrorInfo } from '../../graph/error-info.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentErrorCode } from '../../kit/agent-error.ts';
import { present } from '../../kit/json.ts';
import type { Turn } from '../agent-session.ts';
import type { SessionEffect } from './session-effect.ts';
import type { Given, OutcomeOfOthers } from './session-input.ts';
import type { SessionModel } from './session-model.ts';

/** The next model and the effects to perform. */
export type Transition = { readonly model: SessionModel; readonly effects: readonly SessionEffect[] };

/** The part of the machine that handles what others do to the stored session: `reduceOthers`. */
export type Others = (model: SessionModel, input: OutcomeOfOthers, state: AgentState) => Transition;

export function to(model: SessionModel, ...effects: readonly SessionEffect[]): Transition {
  return { model, effects };
}

/** Chains transitions; each starts from the model of the one before. */
export function andThen(
  first: Transition,
  ...others: readonly ((model: SessionModel) => Transition)[]
): Transition {
  return others.reduce((before, next) => {
    const { model, effects } = next(before.model);
    return { model, effects: [...before.effects, ...effects] };
  }, first);
}

/** Refuses a command with an error in a turn of its own. */
export function refuse(
  model: SessionModel,
  { id, kind, error }: { id: string; kind: Turn['kind']; error: ErrorInfo },
): Transition {
  return to(model, reply(id, { ...newTurn(id, kind, 'refused'), error }));
}

export function reply(
  commandId: string,
  turn: Turn | null,
  when: 'now' | 'saved' | 'all-saved' = 'now',
): SessionEffect {
  return { type: 'reply', commandId, turn, when };
}

/** The reply to a command that closes the session: its turn reports whether the session is stored completely. */
export function savedReply(commandId: string): SessionEffect {
  return reply(commandId, newTurn(commandId, 'stop', 'done'), 'all-saved');
}

/** Adds a watcher: the promise of the command settles when the turn ends or pauses. */
export function addWatcher(
  model: SessionModel,
  commandId: string,
  turnId: string,
  isStop = false,
): SessionModel {
  const watcher = isStop ? { commandId, turnId, isStop } : { commandId, turnId };
  return { ...model, watchers: [...model.watchers, watcher] };
}

/** Settles the promises of all watchers of the turns. */
export function settleTurns(
  model: SessionModel,
  turns: readonly Turn[],
  when: 'now' | 'saved' = 'now',
): Transition {
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const settled = model.watchers.filter(({ turnId }) => byId.has(turnId));
  const watchers = model.watchers.filter(({ turnId }) => !byId.has(turnId));
  const replies = settled.map(({ commandId, turnId, isStop = false }) =>
    reply(commandId, byId.get(turnId) ?? null, isStop ? 'now' : when),
  );
  return to({ ...model, watchers }, ...replies);
}

/** Creates the turn of a command, which names its giver. */
export function givenTurn({ id, by }: { readonly id: string } & Given, kind: Turn['kind']): Turn {
  return { ...newTurn(id, kind), ...present({ by }) };
}

export function newTurn(id: string, kind: Turn['kind'], status: Turn['status'] = 'queued'): Turn {
  return { id, kind, status, outcome: null, stopReason: null, error: null, stored: false, forkedTo: null };
}

/** Creates the error of a refusal from a sentence of this library, which holds nothing to mask. */
export function refusalOf(code: AgentErrorCode, message: string): ErrorInfo {
  return { name: 'AgentError', message, code, data: {}, cause: null };
}

/** Creates the error for commands to a closed session. */
export function disposedError(): ErrorInfo {
  return refusalOf('session-disposed', 'This session was closed. Open it again.');
}
