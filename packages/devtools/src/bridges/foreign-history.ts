import type { MessageRole } from '@vitrine/core/types';

type Asked = { readonly id: string; readonly role: MessageRole };

/** The messages of ours that stand for those of the other library. */
type History = {
  readonly know: (foreignId: string, id: string) => void;
  /** A run begins behind the last message. */
  readonly asked: () => void;
  /** The run that began behind the last message has ended: the messages since then are its answer. */
  readonly answered: () => void;
  /** The new messages of a conversation, and ours that it no longer has. */
  readonly compare: <Given extends Asked>(
    messages: readonly Given[],
  ) => { readonly fresh: readonly Given[]; readonly removed: readonly string[] };
};

export function createHistory(ids: () => readonly string[]): History {
  const known = new Map<string, string>();
  /** The last message of the answer to each question, by the question. */
  const answers = new Map<string, string>();
  let asked: string | null = null;
  return {
    know: (foreignId, id) => void known.set(foreignId, id),
    asked: () => void (asked = ids().at(-1) ?? null),
    answered() {
      const last = ids().at(-1);
      if (asked !== null && last !== undefined && last !== asked) answers.set(asked, last);
    },
    compare(messages) {
      const ours = ids();
      const ends = new Set(answers.values());
      let at = -1;
      let next = 0;
      for (const { id, role } of messages) {
        const here = ours[at] ?? '';
        const answer =
          role === 'user' ? undefined : (answers.get(here) ?? (ends.has(here) ? here : undefined));
        const place = ours.indexOf(known.get(id) ?? answer ?? '');
        if (place < 0) break;
        at = place;
        next++;
      }
      return { fresh: messages.slice(next), removed: ours.slice(at + 1) };
    },
  };
}
