import * as errors from '../kit/errors.ts';
import { growList, memoize, memoizeGrowing, nothing } from '../kit/memoize.ts';
import { type Message } from './message.ts';

/** The sections that the library uses, in the order of compilation. */
export const sectionOrder = ['summary', 'buffer', 'messages', 'execution_buffer'] as const;

/** The name of a section. Other names are allowed and come last, in the order of their creation. */
export type SectionName = (typeof sectionOrder)[number] | (string & {});

/** The messages of one section, in order. */
export type MessageSection = { readonly name: SectionName; readonly messages: readonly Message[] };

/** Messages in sections: `summary`, `buffer`, `messages`, `execution_buffer`, then those of other names. */
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
    const message = `MessageStore: the section ${JSON.stringify(twice)} is given twice; merge its messages first.`;
    throw errors.messageInvalid(message, { section: twice });
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
  return messages.length === 0 ? store : withSection(store, name, growList(section(store, name), messages));
}

/** All messages in section order, or those of the named sections; no name at all means `messages`. */
export function compile(store: MessageStore, names?: readonly SectionName[]): readonly Message[] {
  if (names?.length === 0) return section(store);
  const sections = filledSections(store);
  if (names !== undefined) return joinSections(sections.filter((entry) => names.includes(entry.name)));
  // Garbage collectors keep values of weak maps for a while. A list that is the store's own is not remembered.
  return sections.length === 1 ? joinSections(sections) : compileAll(store);
}

const compileAll = memoize((store: MessageStore): readonly Message[] => joinSections(filledSections(store)));

function filledSections({ sections }: MessageStore): MessageStore['sections'] {
  return sections.filter(({ messages }) => messages.length > 0);
}

/** Joins the lists. The last one usually continues a list that was joined before. */
function joinSections(sections: MessageStore['sections']): readonly Message[] {
  let all: readonly Message[] = nothing;
  for (const { messages } of sections) all = all.length === 0 ? messages : behind(all)(messages);
  return all;
}

const behind = memoize((first: readonly Message[]) =>
  memoizeGrowing<Message, readonly Message[]>((before, list, from) =>
    growList(before ?? first, list.slice(from)),
  ),
);

function rank(name: SectionName): number {
  const at = (sectionOrder as readonly string[]).indexOf(name);
  return at < 0 ? sectionOrder.length : at;
}
