import type { AgentState } from '../../../graph/types.ts';
import type { AddressedEvent } from '../../../run/answer-call.ts';
import { breakAt, releaseBreak } from '../../../run/release-break.ts';
import { refusal } from '../refusals.ts';
import type { CommandOf, DebugAction, Given } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import { isOpen } from '../state-facts.ts';
import { reply, to, type Transition } from '../transition.ts';
import { goOnWith } from './turns.ts';

/** Sets and removes breakpoints, and releases an agent that waits at one. */
export function setBreaks(model: SessionModel, command: CommandOf<'debug'>, state: AgentState): Transition {
  const { id, action } = command;
  if (action.type === 'release') return release(model, { ...command, action }, state);
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
  const { place, edit, isStep = false } = action;
  const next = { type: 'break-set', breakpointId: id, on: { type: 'next' }, isOnce: true } as const;
  const eventsOf = (): readonly AddressedEvent[] | null => {
    const hit = breakAt(state, place);
    if (hit === undefined) return null;
    const events = releaseBreak(state, hit, edit).map((event) => releasedBy(event, by));
    return isStep ? [{ path: [], body: next }, ...events] : events;
  };
  return goOnWith(model, state, { id, unasked: 'noBreak', eventsOf });
}

function releasedBy({ path, body }: AddressedEvent, by: string | undefined): AddressedEvent {
  return { path, body: body.type === 'break-release' && by !== undefined ? { ...body, by } : body };
}
