import type { ErrorInfo } from '../../graph/error-info.ts';
import type { PersistenceState } from '../agent-session.ts';

/** What is shown of how a session is kept. */
export type ShownPersistence = {
  readonly persistence: () => PersistenceState;
  readonly show: (status: PersistenceState['status'], error?: ErrorInfo | null) => void;
  /** What could not be stored went to a session of its own. */
  readonly forked: (sessionId: string) => void;
};

/** `first` is asked again with every change: a store may only know later how durable it is. */
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
