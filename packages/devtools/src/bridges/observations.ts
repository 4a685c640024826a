import { ObservedSession } from './observed-session.ts';

/** Options of an observer. */
export type ObserveOptions = {
  /** The name in the panel. Default: `chat`, or `agent` where an agent is watched; an AG-UI agent has its own. */
  readonly name?: string;
};

/** Most conversations of one observer that the panel lists; the oldest leave first. */
const mostSessions = 20;

/** Keeps the watched conversations of one observer by their ids. The function returns null when watching fails. */
export function createObservations(name: string): (id: string) => ObservedSession | null {
  const sessions = new Map<string, ObservedSession>();
  return (id) => {
    try {
      const session = sessions.get(id) ?? new ObservedSession({ id, name });
      sessions.delete(id);
      sessions.set(id, session);
      const [oldest] = sessions;
      if (sessions.size > mostSessions && oldest !== undefined) {
        sessions.delete(oldest[0]);
        oldest[1].leave();
      }
      return session;
    } catch {
      // The other library goes on unwatched.
      return null;
    }
  };
}
