import type { SessionStore } from '@vitrine/core';
import { fencedStore } from '../host/fenced-store.ts';
import { keyOf, type RunSession, type SessionAddress } from '../host/session-host.ts';
import { sqliteEffects } from './host-effects.ts';
import { beginEpoch, noteStart, type ServedWakes, settleWakes } from './host-rows.ts';
import { type HostTables, now } from './host-tables.ts';

/** The interval of looking for due wake-ups, in milliseconds. */
const lookMs = 250;
/** The pause after a failed run of a session, in milliseconds. */
const failedMs = 1000;

/** The sessions that run, one run each at a time. */
export type RunQueue = {
  readonly start: (run: RunSession) => void;
  /** Begins the runs that are due. */
  readonly look: () => void;
  /** Begins no run any more, waits for the active ones, and ends their leases after the grace time. */
  readonly stop: (graceMs: number) => Promise<void>;
};

type ActiveRun = { readonly done: Promise<void>; readonly end: () => void };

/** Creates the queue of a host over its tables and the stores of its owners. */
export function createRunQueue(
  tables: () => HostTables,
  sessions: (owner: string) => SessionStore,
): RunQueue {
  const active = new Map<string, ActiveRun>();
  const stopping = new AbortController();
  let run: RunSession | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** Never throws: a command is kept already, and the next look finds its wake-up. */
  function look(): void {
    try {
      if (run !== null) beginDue(run);
    } catch {
      // The disk failed; the timer looks again.
    }
  }

  function beginDue(call: RunSession): void {
    for (const { address, wakes } of dueSessions(tables())) {
      const key = keyOf(address);
      if (!active.has(key)) active.set(key, begin(call, address, wakes));
    }
  }

  function begin(call: RunSession, address: SessionAddress, wakes: ServedWakes): ActiveRun {
    const ending = new AbortController();
    const done = lease(call, address, wakes, ending).finally(() => {
      active.delete(keyOf(address));
      look();
    });
    return { done, end: () => ending.abort() };
  }

  /** Calls the function with a lease. The wake-ups stay when it rejects, so the session runs again. */
  async function lease(
    call: RunSession,
    address: SessionAddress,
    wakes: ServedWakes,
    ending: AbortController,
  ): Promise<void> {
    try {
      const epoch = beginEpoch(tables(), address);
      const { store, close } = fencedStore(sessions(address.owner), {
        onFirstLoad: (load) => noteStart(tables(), epoch, load),
        onConflict: () => ending.abort(),
      });
      ending.signal.addEventListener('abort', close);
      const effects = sqliteEffects(tables, address, epoch);
      await call(address, { epoch, signal: ending.signal, sessions: store, effects });
      if (!ending.signal.aborted) settleWakes(tables(), address, wakes);
      ending.abort();
    } catch {
      ending.abort();
      await pause(failedMs, stopping.signal);
    }
  }

  return {
    start(call) {
      run = call;
      timer = setInterval(look, lookMs);
      look();
    },
    look,
    async stop(graceMs) {
      run = null;
      clearInterval(timer);
      stopping.abort();
      const runs = [...active.values()];
      const all = Promise.all(runs.map(({ done }) => done));
      await Promise.race([all, pause(graceMs, null)]);
      for (const { end } of runs) end();
      await Promise.race([all, pause(endMs, null)]);
    },
  };
}

/** The time for runs to end after their leases have, in milliseconds. */
const endMs = 500;

/** The sessions with a due wake-up. */
function dueSessions({
  all,
}: HostTables): readonly { readonly address: SessionAddress; readonly wakes: ServedWakes }[] {
  const found = all(
    `SELECT owner, agent, session, max(n) AS last, ${now} AS due FROM host_wakes WHERE at <= ${now}
       GROUP BY owner, agent, session`,
  );
  return found.map(({ owner, agent, session, last, due }) => ({
    address: { owner: String(owner), agent: String(agent), sessionId: String(session) },
    wakes: { last: Number(last), due: Number(due) },
  }));
}

function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve());
  });
}
