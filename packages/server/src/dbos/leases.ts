import type { SessionStore } from '@vitrine/core';
import { fencedStore } from '../host/fenced-store.ts';
import type { RunSession, SessionAddress } from '../host/session-host.ts';
import type { HostDatabase } from './host-database.ts';
import { postgresEffects } from './host-effects.ts';
import { noteStart, settleWakes, takeWake } from './host-rows.ts';
import type { WakeQueue } from './wake-queue.ts';

/** The pause after a failed run of a session, in milliseconds. */
const failedMs = 1000;
/** The time for runs to end after their leases have, in milliseconds. */
export const endMs = 500;

/** The reason of a lease that ends because its process stops. */
const leaving = Symbol('leaving');

/** The sessions of an owner for one epoch, whose writes are refused once it has ended; `onEnd` is called then. */
export type SessionsInEpoch = (owner: string, epoch: number, onEnd: () => void) => SessionStore;

/** The runs of this process. */
export type Leases = {
  /** Serves a wake-up: calls the function for its session, and settles the wake-up or gives it back. */
  readonly serve: (run: RunSession, address: SessionAddress, n: number) => Promise<void>;
  /** Ends all leases. Runs that are not over soon are left. */
  readonly endAll: () => void;
};

export function createLeases(database: HostDatabase, queue: WakeQueue, sessions: SessionsInEpoch): Leases {
  const active = new Set<AbortController>();

  /** Calls the function with a lease, until it resolves or the lease has ended. */
  async function lease(
    run: RunSession,
    address: SessionAddress,
    epoch: number,
  ): Promise<'over' | 'left' | 'failed'> {
    const ending = new AbortController();
    const { signal } = ending;
    active.add(ending);
    const end = (): void => ending.abort();
    const { store, close } = fencedStore(sessions(address.owner, epoch, end), {
      onFirstLoad: (load) => noteStart(database, address, epoch, load),
      onConflict: end,
    });
    signal.addEventListener('abort', close);
    const left = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => setTimeout(resolve, endMs));
    });
    try {
      const effects = postgresEffects(database, address, epoch);
      await Promise.race([run(address, { epoch, signal, sessions: store, effects }), left]);
      if (!signal.aborted) return 'over';
    } catch {
      // The session is left to a later run.
    } finally {
      active.delete(ending);
      // A reason that was given before stays.
      ending.abort();
    }
    return signal.reason === leaving ? 'left' : 'failed';
  }

  return {
    async serve(run, address, n) {
      const taken = await takeWake(database, address, n);
      if (taken === null) return;
      if ('waitMs' in taken) return queue.giveBack(address, n, null, taken.waitMs);
      const outcome = await lease(run, address, taken.epoch);
      if (outcome === 'over') await settleWakes(database, address, taken.epoch);
      else await queue.giveBack(address, n, taken.epoch, outcome === 'left' ? 0 : failedMs);
    },
    endAll() {
      for (const ending of active) ending.abort(leaving);
    },
  };
}
