import { memoize } from '../kit/memoize.ts';
import { nothing } from '../kit/nothing.ts';
import type { Message } from './message.ts';
import { type MessageStore, section, type SectionName } from './sections.ts';

const compiled = memoize((store: MessageStore): readonly Message[] => {
  const filled = store.sections.filter((entry) => entry.messages.length > 0);
  return filled.length === 1 ? (filled[0]?.messages ?? nothing) : filled.flatMap((entry) => entry.messages);
});

/** All messages in section order. Without names every section; an empty list means the section `messages` only. */
export function compile(store: MessageStore, names?: readonly SectionName[]): readonly Message[] {
  if (names === undefined) return compiled(store);
  if (names.length === 0) return section(store);
  const chosen = store.sections.filter((entry) => names.includes(entry.name));
  return chosen.length === 1 ? (chosen[0]?.messages ?? nothing) : chosen.flatMap((entry) => entry.messages);
}
