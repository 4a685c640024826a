import { type ErrorInfo, of as errorInfo } from '../../../graph/error-info.ts';
import type { AgentState } from '../../../graph/types.ts';
import type { AddressedEvent } from '../../../run/answer-call.ts';
import { breakAt, releaseBreak } from '../../../run/release-break.ts';
import { noBreak, refusal, unsettledRun } from '../refusals.ts';
import type { CommandOf, DebugAction, Given } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen, openTurnId } from '../state-facts.ts';
import { newTurn, refuse, reply, to, type Transition, watching } from '../transition.ts';

/** Sets and removes breakpoints, and releases an agent that waits at one. */
export function setBreaks(model: SessionModel, command: CommandOf<'debug'>, state: AgentState): Transition {
  const { id, action, by } = command;
  if (action.type === 'release')
    return release(model, { id, action, ...(by === undefined ? {} : { by }) }, state);
  const error = refusal(model);
  if (error !== null) return to(model, { type: 'reject', commandId: id, error });
  const body =
    action.type === 'remove'
      ? { breakpointId: action.breakpointId, on: null, isOnce: false }
      : { breakpointId: action.breakpoint.id, on: action.breakpoint.on, isOnce: action.breakpoint.isOnce };
  // A pause without a run would stop the next one.
  if (body.isOnce && model.run === null && !isOpen(state)) return to(model, reply(id, null));
  const event: AddressedEvent = { path: [], body: { type: 'break-set', ...body } };
  return to(model, { type: 'commit', events: [event] }, { type: 'save-soon' }, reply(id, null));
}

type Release = Extract<DebugAction, { readonly type: 'release' }>;

/** Continues the run from its breakpoint, as an answer continues one that waits for a person. */
function release(
  model: SessionModel,
  { id, action, by }: { readonly id: string; readonly action: Release } & Given,
  state: AgentState,
): Transition {
  const { run } = model;
  const error = unsettledRun(model) ?? (run?.isStopping ? noBreak() : null);
  const found = error === null ? eventsOf(state, id, action) : { error };
  if ('error' in found) return refuse(model, { id, kind: 'answer', error: found.error });
  const events = by === undefined ? found.events : found.events.map((event) => releasedBy(event, by));
  const effects = [{ type: 'commit' as const, events }, { type: 'save-soon' as const }];
  if (run !== null) return to(watching(model, id, run.turn.id), ...effects);
  const paused = model.paused ?? { turn: newTurn(openTurnId(state), 'answer'), options: {}, steered: [] };
  return to(watching({ ...model, paused, goesOn: true }, id, paused.turn.id), ...effects);
}

function releasedBy({ path, body }: AddressedEvent, by: string): AddressedEvent {
  return { path, body: body.type === 'break-release' ? { ...body, by } : body };
}

function eventsOf(
  state: AgentState,
  id: string,
  { place, edit, isStep = false }: Release,
): { events: readonly AddressedEvent[] } | { error: ErrorInfo } {
  const hit = breakAt(state, place);
  if (hit === undefined) return { error: noBreak() };
  const next = { type: 'break-set', breakpointId: id, on: { type: 'next' }, isOnce: true } as const;
  try {
    const events = releaseBreak(state, hit, edit);
    return { events: isStep ? [{ path: [], body: next }, ...events] : events };
  } catch (thrown) {
    return { error: errorInfo(thrown) };
  }
}
