import type { MessagePart } from '@vitrine/core';
import type { MessageRole } from '@vitrine/core/types';

export type ForeignMessage = {
  /** The id of the other library. */
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: readonly MessagePart[];
};

/** An answer that a person or the page gave to a call of the run before. */
export type ForeignAnswer =
  | {
      readonly callId: string;
      readonly type: 'approval';
      readonly isApproved: boolean;
      readonly comment: string | null;
    }
  | { readonly callId: string; readonly type: 'output'; readonly output: unknown }
  | { readonly callId: string; readonly type: 'error'; readonly message: string };

/** The messages of ours that stand for those of the other library. */
type History = {
  readonly know: (foreign: ForeignMessage, id: string) => void;
  /** A run begins behind the last message. */
  readonly noteRun: () => void;
  /** The run that began behind the last message has ended: the messages since then are its answer. */
  readonly noteAnswer: () => void;
  /** The new messages of a conversation, and ours that it no longer has. */
  readonly compare: <Given extends ForeignMessage>(
    messages: readonly Given[],
  ) => { readonly fresh: readonly Given[]; readonly removed: readonly string[] };
};

export function createHistory(ids: () => readonly string[]): History {
  const known = new Map<string, string>();
  /** The messages as the other library gave them, by our ids. */
  const given = new Map<string, ForeignMessage>();
  /** The last message of the answer to each question, by the question. */
  const answers = new Map<string, string>();
  let asked: string | null = null;

  /** Our message for one of the other library, by its id or its place; undefined when its content is another one. */
  function ourOf(message: ForeignMessage, next: string | undefined): string | undefined {
    const own = known.get(message.id);
    return [own, next].find((id) => id !== undefined && isSame(given.get(id), message));
  }

  return {
    know(foreign, id) {
      known.set(foreign.id, id);
      given.set(id, foreign);
    },
    noteRun: () => void (asked = ids().at(-1) ?? null),
    noteAnswer() {
      const last = ids().at(-1);
      if (asked !== null && last !== undefined && last !== asked) answers.set(asked, last);
    },
    compare(messages) {
      const ours = ids();
      const ends = new Set(answers.values());
      let at = -1;
      let next = 0;
      for (const message of messages) {
        const here = ours[at] ?? '';
        const answer =
          message.role === 'user' ? undefined : (answers.get(here) ?? (ends.has(here) ? here : undefined));
        const place = ours.indexOf(ourOf(message, ours[at + 1]) ?? answer ?? '');
        if (place < 0) break;
        at = place;
        next++;
      }
      return { fresh: messages.slice(next), removed: ours.slice(at + 1) };
    },
  };
}

/** True for a message with the content that it had. An answer may have grown since. */
function isSame(before: ForeignMessage | undefined, { role, parts }: ForeignMessage): boolean {
  if (before === undefined || before.role !== role) return false;
  if (role === 'user' && parts.length !== before.parts.length) return false;
  return before.parts.every((part, index) => {
    const now = parts[index];
    if (now === undefined) return false;
    const isText = 'text' in part && 'text' in now && role !== 'user';
    return isText ? now.text.startsWith(part.text) : JSON.stringify(part) === JSON.stringify(now);
  });
}
