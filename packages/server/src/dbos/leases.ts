import { effectLog, type SessionStore } from '@vitrine/core';
import { fencedStore } from '../host/fenced-store.ts';
import {
  failedPause,
  isSuspect,
  keyOf,
  type Lease,
  probationMs,
  type RunSession,
  type SessionAddress,
  verdictOf,
} from '../host/session-host.ts';
import type { HostDatabase } from './host-database.ts';
import { effectRecords } from './host-effects.ts';
import { forgetDeaths, noteStart, settleWakes, type Taken, takeWake } from './host-rows.ts';
import type { WakeQueue } from './wake-queue.ts';

/** The time for runs to end after their leases have, in milliseconds. */
export const endMs = 500;

/** The reason of a lease that ends because its process stops. */
const leaving = Symbol('leaving');

/** The sessions of an owner for one epoch, whose writes are refused once it has ended; `onEnd` is called then. */
export type SessionsInEpoch = (owner: string, epoch: number, onEnd: () => void) => SessionStore;

export type Leases = ReturnType<typeof createLeases>;

type LeaseOptions = {
  readonly database: HostDatabase;
  readonly queue: WakeQueue;
  readonly sessions: SessionsInEpoch;
  readonly mostDeaths: number;
};

export function createLeases(options: LeaseOptions) {
  const { database, queue, mostDeaths } = options;
  const active = new Set<AbortController>();
  /** The failed runs of sessions, one after the other. */
  const failures = new Map<string, number>();
  /** The wake-ups of sessions that run here, or are about to, and may have killed their process before. */
  const suspects = new Set<number>();

  /** Takes a wake-up. A session that may have killed its process runs beside no other such session. */
  async function take(address: SessionAddress, n: number): Promise<Taken | null> {
    const deaths = suspects.size === 0 ? Infinity : mostDeaths - 2;
    suspects.add(n);
    const taken = await takeWake(database, address, n, { deaths }).catch((thrown: unknown) => {
      suspects.delete(n);
      throw thrown;
    });
    if (taken === null || 'waitMs' in taken || !isSuspect(taken.deaths, mostDeaths)) suspects.delete(n);
    return taken;
  }

  async function serveTaken(
    run: RunSession,
    address: SessionAddress,
    n: number,
    { epoch, deaths }: { readonly epoch: number; readonly deaths: number },
  ): Promise<void> {
    const key = keyOf(address);
    const verdict = verdictOf(deaths, mostDeaths);
    const outcome = await runLeased({ ...options, active }, run, address, { epoch, verdict });
    if (outcome !== 'failed') failures.delete(key);
    if (outcome === 'over') return settleWakes(database, address, epoch);
    const before = failures.get(key) ?? 0;
    if (outcome === 'failed') failures.set(key, before + 1);
    await queue.giveBack(address, n, epoch, outcome === 'left' ? 0 : failedPause(before));
  }

  return {
    /** Serves a wake-up: calls the function for its session, and settles the wake-up or gives it back. */
    async serve(run: RunSession, address: SessionAddress, n: number): Promise<void> {
      const taken = await take(address, n);
      if (taken === null) return;
      if ('waitMs' in taken) return queue.giveBack(address, n, null, taken.waitMs);
      const { epoch, deaths } = taken;
      const pass = (): void => {
        forgetDeaths(database, epoch).then(
          () => suspects.delete(n),
          () => undefined,
        );
      };
      const probation = deaths > 0 ? setTimeout(pass, probationMs) : undefined;
      try {
        await serveTaken(run, address, n, taken);
      } finally {
        clearTimeout(probation);
        suspects.delete(n);
      }
    },
    /** Ends all leases. Runs that are not over soon are left. */
    endAll(): void {
      for (const ending of active) ending.abort(leaving);
    },
  };
}

/** Calls the function with a lease, until it resolves or the lease has ended. */
async function runLeased(
  { database, sessions, active }: LeaseOptions & { readonly active: Set<AbortController> },
  run: RunSession,
  address: SessionAddress,
  { epoch, verdict }: Pick<Lease, 'epoch' | 'verdict'>,
): Promise<'over' | 'left' | 'failed'> {
  const ending = new AbortController();
  const { signal } = ending;
  active.add(ending);
  const own = sessions(address.owner, epoch, () => ending.abort());
  const store = fencedStore(own, ending, (load) => noteStart(database, address, epoch, load));
  const left = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => setTimeout(resolve, endMs));
  });
  try {
    const effects = effectLog(effectRecords(database, address, epoch));
    await Promise.race([run(address, { epoch, signal, verdict, sessions: store, effects }), left]);
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
