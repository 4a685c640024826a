import { grown } from '../kit/grown-list.ts';
import { memoize } from '../kit/memoize.ts';
import { memoizeGrowing } from '../kit/memoize-growing.ts';
import { nothing } from '../kit/nothing.ts';
import type { Message } from './message.ts';
import { type MessageStore, section, type SectionName } from './sections.ts';

const compiled = memoize((store: MessageStore): readonly Message[] => joined(store.sections));

/** Joins the lists. The last one usually continues a list that was joined before. */
function joined(sections: MessageStore['sections']): readonly Message[] {
  let all: readonly Message[] = nothing;
  for (const { messages } of sections)
    if (messages.length > 0) all = all.length === 0 ? messages : behind(all)(messages);
  return all;
}

const behind = memoize((first: readonly Message[]) =>
  memoizeGrowing<Message, readonly Message[]>((before, list, from) =>
    grown(before ?? first, list.slice(from)),
  ),
);

/**
 * All messages in section order. Without names, every section is included; an empty list of names means only
 * `messages`.
 */
export function compile(store: MessageStore, names?: readonly SectionName[]): readonly Message[] {
  if (names === undefined) return compiled(store);
  if (names.length === 0) return section(store);
  return joined(store.sections.filter((entry) => names.includes(entry.name)));
}
