// The read functions of a message store. They are separate from those that change it, because every page loads them.
import { nothing } from '../kit/memoize.ts';
import type { Message } from './message.ts';

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
