import { work } from '../kit/work.ts';
import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { Message } from './message.ts';

type Places = Map<string, number>;

/** Positions by id in a list and in the lists that it continues. Another continuation of them may have moved an id. */
const seenPlaces = memoize(
  memoizeGrowing<Message, Places>((before, list, from) => placesFrom(before ?? new Map(), list, from)),
);
const ownPlaces = memoize((messages: readonly Message[]) => placesFrom(new Map(), messages, 0));

function placesFrom(places: Places, messages: readonly Message[], from: number): Places {
  for (let at = from; at < messages.length; at++) places.set((messages[at] as Message).id, at);
  work.units += messages.length - from;
  return places;
}

/** The position of a message in a list by its id; -1 when the list does not hold it. */
export function placeOf(messages: readonly Message[], id: string): number {
  const at = seenPlaces(messages).get(id);
  if (at === undefined || messages[at]?.id === id) return at ?? -1;
  return ownPlaces(messages).get(id) ?? -1;
}
