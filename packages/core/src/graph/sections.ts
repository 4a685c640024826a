// What is read of a store of messages. It stands apart from what changes one, because every page starts with it.
import { memoize } from '../kit/memoize.ts';
import type { Message } from './message.ts';

/** The sections that the library uses, in the order in which they are compiled. */
export const sectionOrder = ['summary', 'buffer', 'messages', 'execution_buffer'] as const;

/** Sections of other names are allowed and come last, in the order in which they were made. */
export type SectionName = (typeof sectionOrder)[number] | (string & {});

/** The messages of one section, in order. */
export type MessageSection = { readonly name: SectionName; readonly messages: readonly Message[] };
/**
 * Messages in named, ordered sections: `summary`, `buffer`, `messages`, `execution_buffer`, then those of
 * other names.
 */
export type MessageStore = { readonly sections: readonly MessageSection[] };

const none: readonly Message[] = [];
const emptyStore: MessageStore = { sections: [] };

/** A store without messages. */
export function empty(): MessageStore {
  return emptyStore;
}

/** The messages of one section; empty when there is no such section. */
export function section(store: MessageStore, name: SectionName = 'messages'): readonly Message[] {
  return store.sections.find((candidate) => candidate.name === name)?.messages ?? none;
}

const compiled = memoize((store: MessageStore): readonly Message[] => {
  const filled = store.sections.filter((entry) => entry.messages.length > 0);
  return filled.length === 1 ? (filled[0]?.messages ?? none) : filled.flatMap((entry) => entry.messages);
});

/** All messages in section order. Without names every section; an empty list means the section `messages` only. */
export function compile(store: MessageStore, names?: readonly SectionName[]): readonly Message[] {
  if (names === undefined) return compiled(store);
  if (names.length === 0) return section(store);
  const chosen = store.sections.filter((entry) => names.includes(entry.name));
  return chosen.length === 1 ? (chosen[0]?.messages ?? none) : chosen.flatMap((entry) => entry.messages);
}
