import { growList, memoize, memoizeGrowing } from '../kit/memoize.ts';
import { work } from '../kit/work.ts';
import type { Message } from './message.ts';
import { type MessageStore, section, type SectionName, withSection } from './message-store.ts';

/** Puts messages into a section: one of a known id replaces the old one, others are appended. */
export function upsert(
  store: MessageStore,
  messages: readonly Message[],
  name: SectionName = 'messages',
): MessageStore {
  const current = section(store, name);
  let replaced: Message[] | null = null;
  const added: Message[] = [];
  for (const message of messages) {
    const again = lastIndexOf(added, message);
    const at = again >= 0 ? -1 : lastIndexOf(current, message);
    if (again >= 0) added[again] = message;
    else if (at < 0) added.push(message);
    else if ((replaced ?? current)[at] !== message) (replaced ??= [...current])[at] = message;
  }
  return withSection(store, name, growList(replaced ?? current, added));
}

function lastIndexOf(messages: readonly Message[], { id }: Message): number {
  for (let at = messages.length - 1; at >= 0; at--) if (messages[at]?.id === id) return at;
  return -1;
}

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
