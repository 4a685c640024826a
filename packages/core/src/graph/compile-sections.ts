import { grown } from '../kit/grown-list.ts';
import { memoize, memoizeGrowing, nothing } from '../kit/memoize.ts';
import type { Message } from './message.ts';
import { type MessageStore, section, type SectionName } from './sections.ts';

const compiled = memoize((store: MessageStore): readonly Message[] => joined(filled(store)));

function filled({ sections }: MessageStore): MessageStore['sections'] {
  return sections.filter(({ messages }) => messages.length > 0);
}

/** Joins the lists. The last one usually continues a list that was joined before. */
function joined(sections: MessageStore['sections']): readonly Message[] {
  let all: readonly Message[] = nothing;
  for (const { messages } of sections) all = all.length === 0 ? messages : behind(all)(messages);
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
  if (names?.length === 0) return section(store);
  const sections = filled(store);
  if (names !== undefined) return joined(sections.filter((entry) => names.includes(entry.name)));
  // Garbage collectors keep values of weak maps for a while. A list that is the store's own is not remembered.
  return sections.length === 1 ? joined(sections) : compiled(store);
}
