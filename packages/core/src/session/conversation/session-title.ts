import { messages } from '../../graph/agent-state/accessors.ts';
import { type Message, text } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { cutText } from '../../kit/text.ts';

const titleLength = 60;

/** The derived title of a session: the first message of the user, on one line. */
export function titleOf(state: AgentState): string {
  const first = messages(state).find((message) => message.role === 'user');
  const line = first ? text(first).trim().replace(/\s+/g, ' ') : '';
  return line.length > titleLength ? `${cutText(line, titleLength - 1)}…` : line;
}

/** The title of a session. A derived title stays until its messages are replaced. */
export type SessionTitle = {
  readonly of: (saved: { readonly title: string | null; readonly state: AgentState }) => string;
  /** Sets the title of a stored session. */
  readonly restore: (title: string, state: AgentState) => void;
  /** Removes a title that was derived from the messages. */
  readonly forget: () => void;
  /** Removes a derived title when it may come from a removed message. @returns true for any removal */
  readonly forgetThatOf: (removed: readonly Message[]) => boolean;
};

export function createSessionTitle(): SessionTitle {
  let own: { readonly text: string; readonly isDerived: boolean } | null = null;
  function forget(): void {
    if (own?.isDerived === true) own = null;
  }

  return {
    of({ title, state }) {
      const derived = own === null ? titleOf(state) : '';
      if (derived !== '') own = { text: derived, isDerived: true };
      return title ?? own?.text ?? '';
    },
    restore(text, state) {
      if (text !== '') own = { text, isDerived: text === titleOf(state) };
    },
    forget,
    forgetThatOf(removed) {
      if (removed.some(({ role }) => role === 'user')) forget();
      return removed.length > 0;
    },
  };
}
