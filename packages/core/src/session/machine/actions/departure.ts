import type { ErrorInfo } from '../../../graph/error-info.ts';
import type { Turn } from '../../agent-session.ts';
import { movedAway, refusal, namedRefusal } from '../refusals.ts';
import type { CommandOf } from '../session-input.ts';
import { type Departing, openTurns, type SessionModel } from '../session-model.ts';
import {
  andThen,
  disposedError,
  reply,
  savedReply,
  settleTurns,
  to,
  type Transition,
} from '../transition.ts';

/** Asks that the session leaves for another store, once its run has ended its step and no call is in flight. */
export function depart(model: SessionModel, command: CommandOf<'depart'>): Transition {
  const { id: commandId, place } = command;
  const { moved = null, departing = null } = model;
  if (moved !== null && !moved.isThere && moved.place === place) return to(model, savedReply(commandId));
  const error = refusal(model) ?? (model.hasStore ? null : namedRefusal('unstored'));
  if (error !== null) return to(model, { type: 'reject', commandId, error });
  const askedBy = [...(departing?.askedBy ?? []), commandId];
  return to({ ...model, departing: { place, moveId: departing?.moveId ?? commandId, askedBy } });
}

/** Leaves: from now on nothing begins here, and the mark is stored before the session is given away. */
export function departTo(model: SessionModel, { place, moveId, askedBy }: Departing): Transition {
  const { departing: _departing, ...rest } = model;
  return to(
    { ...rest, moved: { place, moveId, isThere: false } },
    { type: 'save-soon' },
    ...askedBy.map(savedReply),
  );
}

/** Ends a move: the session is there, or it stays here and goes on. */
export function arrive(model: SessionModel, { id, moveId, isThere }: CommandOf<'arrive'>): Transition {
  const { moved = null } = model;
  const answer = reply(id, null, 'saved');
  if (moved === null || moved.moveId !== moveId || moved.isThere) return to(model, answer);
  if (!isThere) return to({ ...model, moved: null }, { type: 'save-soon' }, answer);
  const there = { ...moved, isThere };
  const turns = openTurns(model).map((turn): Turn => ({ ...turn, status: 'moved' }));
  const left: SessionModel = { ...model, moved: there, paused: null, goesOn: false, queue: [] };
  return andThen(to(left, { type: 'save-soon' }, answer), (next) => settleTurns(next, turns));
}

/** Refuses turns that were asked for here when the stored session turned out to have moved. */
export function refusedMoved(model: SessionModel): Transition {
  const { moved = null } = model;
  if (moved === null) return to(model);
  const error = movedAway(moved);
  const watched = new Set(model.watchers.map(({ turnId }) => turnId));
  const turns = openTurns(model)
    .filter(({ id }) => watched.has(id))
    .map((turn): Turn => ({ ...turn, status: 'refused', error }));
  const refused = new Set(turns.map(({ id }) => id));
  const queue = model.queue.filter(({ turn }) => !refused.has(turn.id));
  return settleTurns({ ...model, queue, moves: [], retry: null }, turns);
}

/** Gives up a departure that has not happened. */
export function departureCancelled(model: SessionModel, error: ErrorInfo = disposedError()): Transition {
  const { departing = null, ...rest } = model;
  if (departing === null) return to(model);
  return to(rest, ...departing.askedBy.map((commandId) => ({ type: 'reject' as const, commandId, error })));
}
