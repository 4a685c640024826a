import type { ErrorInfo } from '../../graph/error-info.ts';
import type { PersistenceState } from '../agent-session.ts';

/** The persistence of a session as it is shown. */
export type ShownPersistence = {
  readonly persistence: () => PersistenceState;
  readonly show: (status: PersistenceState['status'], error?: ErrorInfo | null) => void;
  /** Records the id of the session that holds changes which could not be stored. */
  readonly forked: (sessionId: string) => void;
};

/**
 * Creates the shown persistence. `first` is called at every change, since a store may learn later how durable
 * it is.
 */
export function createShownPersistence(
  first: () => PersistenceState,
  onChange: () => void,
): ShownPersistence {
  let shown = first();
  let fork: Pick<PersistenceState, 'forkedTo'> = {};
  return {
    persistence: () => shown,
    show(status, error = null) {
      shown = { ...first(), ...fork, status, error };
      onChange();
    },
    forked(forkedTo) {
      fork = { forkedTo };
      shown = { ...shown, ...fork };
      onChange();
    },
  };
}
