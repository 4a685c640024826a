import * as errors from '../kit/definition-error.ts';
import { nothing, memoize, memoizeGrowing } from '../kit/memoize.ts';
import { type Message } from './message.ts';
import { grown } from '../kit/grown-list.ts';
import { work } from '../kit/work.ts';

// The read functions of a message store. They are separate from those that change it, because every page loads them.

/** The sections that the library uses, in the order of compilation. */
export const sectionOrder = ['summary', 'buffer', 'messages', 'execution_buffer'] as const;

/** The name of a section. Other names are allowed and come last, in the order of their creation. */
export type SectionName = (typeof sectionOrder)[number] | (string & {});

/** The messages of one section, in order. */
export type MessageSection = { readonly name: SectionName; readonly messages: readonly Message[] };

/**
 * Messages in named, ordered sections: `summary`, `buffer`, `messages`, `execution_buffer`, then those of
 * other names.
 */
export type MessageStore = { readonly sections: readonly MessageSection[] };

const emptyStore: MessageStore = { sections: [] };

/** A store without messages. */
export function empty(): MessageStore {
  return emptyStore;
}

/** The messages of one section; empty when there is no such section. */
export function section(store: MessageStore, name: SectionName = 'messages'): readonly Message[] {
  return store.sections.find((candidate) => candidate.name === name)?.messages ?? nothing;
}

/**
 * A store of the given sections.
 * @throws AgentError `message-invalid` when two sections have one name.
 */
export function of(sections: readonly MessageSection[]): MessageStore {
  const names = sections.map((section) => section.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw errors.messageInvalid(
      `MessageStore: the section ${JSON.stringify(twice)} is given twice; merge its messages first.`,
      { section: twice },
    );
  }
  return { sections: [...sections].sort((a, b) => rank(a.name) - rank(b.name)) };
}

/** The store with the messages of one section replaced. */
export function withSection(
  store: MessageStore,
  name: SectionName,
  messages: readonly Message[],
): MessageStore {
  const current = store.sections.find((candidate) => candidate.name === name);
  if (current?.messages === messages || (!current && messages.length === 0)) return store;
  if (!current) return of([...store.sections, { name, messages }]);
  return { sections: store.sections.map((entry) => (entry === current ? { name, messages } : entry)) };
}

/** The store with messages added at the end of a section; the same store when there are none. */
export function append(
  store: MessageStore,
  messages: readonly Message[],
  name: SectionName = 'messages',
): MessageStore {
  return messages.length === 0 ? store : withSection(store, name, grown(section(store, name), messages));
}

/**
 * Puts messages into a section: a message of a known id replaces the old one, others are appended. The search starts
 * at the end, where most changes are.
 */
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
  return withSection(store, name, grown(replaced ?? current, added));
}

function lastIndexOf(messages: readonly Message[], { id }: Message): number {
  for (let at = messages.length - 1; at >= 0; at--) if (messages[at]?.id === id) return at;
  return -1;
}

function rank(name: SectionName): number {
  const at = (sectionOrder as readonly string[]).indexOf(name);
  return at < 0 ? sectionOrder.length : at;
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
