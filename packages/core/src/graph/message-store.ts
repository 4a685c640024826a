import * as errors from '../kit/errors.ts';
import { grown } from '../kit/grown-list.ts';
import type { Message } from './message.ts';
import {
  type MessageSection,
  type MessageStore,
  section,
  type SectionName,
  sectionOrder,
} from './sections.ts';

export { compile } from './compile-sections.ts';
export { empty, section, sectionOrder } from './sections.ts';
export type { MessageSection, MessageStore, SectionName } from './sections.ts';

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
