import { ObservedSession } from './observed-session.ts';

export type ObserveOptions = {
  /** The name in the panel. Default: `chat`, or `agent` where an agent is watched; an AG-UI agent has its own. */
  readonly name?: string;
};

/** Most conversations of other libraries that the panel lists; the oldest leave first. */
const mostSessions = 20;

/** The watched conversations of the page: an observer that is made again, as at every render, goes on with its own. */
const sessions = new Map<string, ObservedSession>();

/** The number of observers, which tells conversations without an id apart. */
let observers = 0;

/** Gives an observer its watched conversations by their ids; null when watching fails, or for one without. */
export function createObservations(
  library: string,
  name: string,
): (id: string | null) => ObservedSession | null {
  const own = ++observers;
  return (id) => {
    const key = JSON.stringify([library, name, id ?? own]);
    try {
      const session = sessions.get(key) ?? new ObservedSession({ id: id ?? library, name });
      sessions.delete(key);
      sessions.set(key, session);
      const [oldest] = sessions;
      if (sessions.size > mostSessions && oldest !== undefined) forget(oldest);
      return session;
    } catch {
      // The other library goes on unwatched.
      return null;
    }
  };
}

/** Takes all watched conversations out of the panel. */
export function forgetObservations(): void {
  for (const entry of sessions) forget(entry);
}

function forget([key, session]: readonly [string, ObservedSession]): void {
  sessions.delete(key);
  session.leave();
}

/** The values that observers give back, and the agents that they watch. */
const watched = new WeakSet();

/** True for a value that is watched already. Watched twice, it would tell everything twice. */
export function isWatched(value: object): boolean {
  return watched.has(value);
}

/** Notes a value as watched, and gives it back. */
export function asWatched<Value extends object>(value: Value): Value {
  watched.add(value);
  return value;
}
