import type { AgentError } from '../../kit/agent-error.ts';
import type { JsonObject } from '../../kit/json.ts';

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

/** True for a refusal, which asking again does not change. Anything else may not have arrived, or its answer was lost. */
export function isRefusal(thrown: AgentError): boolean {
  return thrown.data['retryable'] === false;
}
