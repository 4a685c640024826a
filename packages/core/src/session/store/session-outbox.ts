import { AgentError } from '../../kit/agent-error.ts';
import type { JsonObject } from '../../kit/json.ts';

/** A command that waits in the outbox of a session. It has an id and any JSON. */
export type OutboxCommand = JsonObject & { readonly id: string };

/**
 * Commands from tabs and devices to the leader of a session: a small row beside the session, independent of its version
 * and epoch. Commands stay in the order in which they were put, until they are dropped or the session is removed.
 * Listeners of `subscribe` receive changes by the id of the session.
 */
export type SessionOutbox = {
  /**
   * Appends a command; one with the same id is replaced. A removed session takes none.
   * @throws AgentError `session-storage`, `session-deleted`
   */
  readonly put: (id: string, command: OutboxCommand) => Promise<void>;
  /**
   * Resolves with all waiting commands. They stay: drop them once their ids are stored with their effects.
   * @throws AgentError `session-storage`
   */
  readonly take: (id: string) => Promise<readonly OutboxCommand[]>;
  /** Removes commands; unknown ids are ignored. @throws AgentError `session-storage` */
  readonly drop: (id: string, commandIds: readonly string[]) => Promise<void>;
};

export function removedSession(id: string): AgentError {
  const message = `Session ${JSON.stringify(id)} was removed, so no command for it is kept. Start a new session.`;
  return new AgentError('session-deleted', message, { data: { id } });
}
