import { messages } from '../graph/agent-state/accessors.ts';
import type { AgentState } from '../graph/types.ts';
import type { QueuedMessage } from './stores/queued-message.ts';

/** What is saved of a session. */
export type Saved = {
  readonly id: string | null;
  readonly agentName: string;
  readonly journalId: string;
  readonly state: AgentState;
  /** The one that a person chose; null makes it what was said first. */
  readonly title: string | null;
  readonly queue: readonly QueuedMessage[];
  readonly draft: string;
};
/** What is written, with the title that people see. */
export type Content = Saved & { readonly title: string };

/** True when there is something to save that is not written yet; an untouched session is not stored. */
export function isWorthSaving(saved: Content, written: Content | null): boolean {
  if (written === null)
    return (
      messages(saved.state).length > 0 || saved.queue.length > 0 || saved.draft !== '' || saved.title !== ''
    );
  return (
    written.state !== saved.state ||
    written.title !== saved.title ||
    written.queue !== saved.queue ||
    written.draft !== saved.draft
  );
}
