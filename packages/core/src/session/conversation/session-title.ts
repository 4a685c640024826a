import { messages } from '../../graph/agent-state/accessors.ts';
import { type Message, text } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import { cutText } from '../../kit/text.ts';

const titleLength = 60;

/** The key of the metadata by which a plugin names the session. */
const key = 'session_title';

/** The derived title of a session: that of a plugin, else the first message of the user, on one line. */
export function titleOf(state: AgentState): string {
  const { [key]: named } = state.context.metadata;
  const first = messages(state).find((message) => message.role === 'user');
  const given = typeof named === 'string' ? named : first ? text(first) : '';
  const line = given.trim().replace(/\s+/g, ' ');
  return line.length > titleLength ? `${cutText(line, titleLength - 1)}…` : line;
}

/** The title of a session. A derived title stays until its messages are replaced, or a plugin names the session. */
export class SessionTitle {
  #own: { readonly text: string; readonly isDerived: boolean } | null = null;

  of({ title, state }: { readonly title: string | null; readonly state: AgentState }): string {
    const isNamed = key in state.context.metadata && this.#own?.isDerived === true;
    const derived = this.#own === null || isNamed ? titleOf(state) : '';
    if (derived !== '') this.#own = { text: derived, isDerived: true };
    return title ?? this.#own?.text ?? '';
  }

  restore(text: string, state: AgentState): void {
    if (text !== '') this.#own = { text, isDerived: text === titleOf(state) };
  }

  /** Removes a title that was derived from the messages. */
  forget(): void {
    if (this.#own?.isDerived === true) this.#own = null;
  }

  /** Removes a derived title when it may come from a removed message. @returns true for any removal */
  forgetThatOf(removed: readonly Message[]): boolean {
    if (removed.some(({ role }) => role === 'user')) this.forget();
    return removed.length > 0;
  }
}
