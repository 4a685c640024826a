import type { AgentState } from '../../graph/types.ts';
import { titleOf } from '../title-of.ts';

/** The title that a session has by itself: once it has one it stays, until its messages are replaced. */
export type SessionTitle = {
  readonly of: (saved: { readonly title: string | null; readonly state: AgentState }) => string;
  /** The title of a stored session. */
  readonly restore: (title: string, state: AgentState) => void;
  /** Lets go of a title that was made of the messages. */
  readonly forget: () => void;
};

export function createSessionTitle(): SessionTitle {
  let own: { readonly text: string; readonly isDerived: boolean } | null = null;
  return {
    of({ title, state }) {
      const derived = own === null ? titleOf(state) : '';
      if (derived !== '') own = { text: derived, isDerived: true };
      return title ?? own?.text ?? '';
    },
    restore(text, state) {
      if (text !== '') own = { text, isDerived: text === titleOf(state) };
    },
    forget() {
      if (own?.isDerived === true) own = null;
    },
  };
}
