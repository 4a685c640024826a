import type { AgentError } from '../../kit/agent-error.ts';
import type { JsonObject } from '../../kit/json.ts';
import type { SessionStore } from './session-store.ts';
import type { LinkedId } from './tab-link.ts';

/** The mark of a session that was moved. Its stored copy stays readable and takes no commands. */
export type SessionMove = {
  /** The identity of the store that has the session now, e.g. `server:/api`. */
  readonly place: string;
  /** The id of the move. The other store takes the same move once. */
  readonly moveId: string;
  /** True when the other store has said that it has the session. Until then `moveTo` finishes the move. */
  readonly isThere: boolean;
};

/** A whole session on its way to another store, as JSON. */
export type MovingSession = {
  readonly moveId: string;
  readonly journal: { readonly id: string; readonly records: number };
  /** The session as an exported document, with the events behind its snapshot. */
  readonly document: JsonObject;
};

/**
 * The calls of a store whose sessions a server runs. The server changes and takes them itself, because the page holds
 * nothing of them. All reject with `AgentError`; its `data.retryable` is false for a refusal.
 */
export type ServedSessions = {
  /** Rejects with the reason why the server would not take a session; nothing changes. */
  readonly check: (session: LinkedId) => Promise<void>;
  /** Keeps a session of another store and goes on with its run. The same `moveId` again changes nothing. */
  readonly take: (session: LinkedId, moveId: string, from: SessionStore) => Promise<void>;
  /** Sets the title of a stored session. */
  readonly rename: (id: string, title: string) => Promise<void>;
  /** Deletes a session; for 10 seconds `restore` brings it back. */
  readonly remove: (id: string) => Promise<void>;
  readonly restore: (id: string) => Promise<void>;
};

/** True for a refusal, which asking again does not change. Anything else may not have arrived, or its answer was lost. */
export function isRefusal(thrown: AgentError): boolean {
  return thrown.data['retryable'] === false;
}
