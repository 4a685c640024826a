import { effectLog, type SessionStore } from '@vitrine/core';
import { within } from '@vitrine/proxy/internal/kit/time';
import { fencedStore } from '../host/fenced-store.ts';
import {
  failedPause,
  isSuspect,
  keyOf,
  probationMs,
  type RunSession,
  type SessionAddress,
  verdictOf,
} from '../host/session-host.ts';
import { addressOf } from '../host/stored-rows.ts';
import { effectRecords } from './host-effects.ts';
import { beginEpoch, deathsOf, forgetDeaths, noteStart, type ServedWakes, settleWakes } from './host-rows.ts';
import { type HostTables, now } from './host-tables.ts';

/** The interval of looking for due wake-ups, in milliseconds. */
const lookMs = 250;
/** The most runs that read their session at the same time, so that many due ones begin one after the other. */
const mostBeginning = 16;

type QueueOptions = {
  readonly tables: () => HostTables;
  readonly sessions: (owner: string) => SessionStore;
  readonly mostDeaths: number;
};

type ActiveRun = { readonly done: Promise<void>; readonly end: () => void; readonly isSuspect: boolean };
/** The failed runs of a session, one after the other, and when it may run again, by `performance.now()`. */
type Failures = { readonly count: number; readonly until: number };
type Begun = Due & {
  readonly deaths: number;
  readonly ending: AbortController;
  /** Called when the session was read, or could not be. */
  readonly onBegun: () => void;
};
type Due = { readonly address: SessionAddress; readonly wakes: ServedWakes };

/** Creates the queue of a host over its tables and the stores of its owners. */
export function createRunQueue(options: QueueOptions) {
  const { tables, mostDeaths } = options;
  const active = new Map<string, ActiveRun>();
  const failures = new Map<string, Failures>();
  const beginnings = createBeginnings((address) => look(address));
  let run: RunSession | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** Never throws: a command is kept already, and the next look finds its wake-up. */
  function look(address?: SessionAddress): void {
    const failed = address && failures.get(keyOf(address));
    if (address && failed) failures.set(keyOf(address), { ...failed, until: 0 });
    try {
      if (run !== null) beginDue(run, address);
    } catch {
      // The disk failed; the timer looks again.
    }
  }

  function beginDue(call: RunSession, address?: SessionAddress): void {
    for (const due of dueSessions(tables(), address)) {
      const key = keyOf(due.address);
      if (active.has(key) || (failures.get(key)?.until ?? 0) > performance.now()) continue;
      if (beginnings.mustWait(due.address)) continue;
      const deaths = deathsOf(tables(), due.address);
      const isWaiting =
        isSuspect(deaths, mostDeaths) && [...active.values()].some((other) => other.isSuspect);
      if (!isWaiting) active.set(key, begin(call, due, deaths));
    }
  }

  function begin(call: RunSession, due: Due, deaths: number): ActiveRun {
    const ending = new AbortController();
    const key = keyOf(due.address);
    const probation =
      deaths > 0 ? setTimeout(() => void pass(active, options, due.address), probationMs) : undefined;
    const onBegun = beginnings.add(due.address);
    const done = isServed(options, call, { ...due, deaths, ending, onBegun }).then(async (isOver) => {
      onBegun();
      if (!isOver) await fail(due.address);
      clearTimeout(probation);
      active.delete(key);
      if (isOver) failures.delete(key);
      look();
    });
    return { done, end: () => ending.abort(), isSuspect: isSuspect(deaths, mostDeaths) };
  }

  /** A run that failed has not killed its process; it is called again after a pause. */
  async function fail(address: SessionAddress): Promise<void> {
    const count = failures.get(keyOf(address))?.count ?? 0;
    failures.set(keyOf(address), { count: count + 1, until: performance.now() + failedPause(count) });
    await areForgotten(tables, address);
  }

  return {
    start(call: RunSession): void {
      run = call;
      timer = setInterval(look, lookMs);
      look();
    },
    /** Begins the runs that are due: all of them, or that of the given session, also when its last one has failed just now. */
    look,
    /** Begins no run any more, waits for the active ones, and ends their leases after the grace time. */
    async stop(graceMs: number): Promise<void> {
      run = null;
      clearInterval(timer);
      const runs = [...active.values()];
      const all = Promise.all(runs.map(({ done }) => done));
      await within(graceMs, all, null);
      for (const { end } of runs) end();
      await within(endMs, all, null);
    },
  };
}

/** Forgets the deaths of a run that has gone on for a while. */
async function pass(
  active: Map<string, ActiveRun>,
  { tables }: QueueOptions,
  address: SessionAddress,
): Promise<void> {
  const key = keyOf(address);
  const own = active.get(key);
  if (own !== undefined && (await areForgotten(tables, address)) && active.get(key) === own)
    active.set(key, { ...own, isSuspect: false });
}

/** Lets sessions begin in their order; the function is called for the next one. */
function createBeginnings(begin: (address: SessionAddress) => void) {
  const waiting = new Map<string, SessionAddress>();
  let count = 0;

  function beginNext(): void {
    count -= 1;
    const [next] = waiting.values();
    if (next === undefined) return;
    waiting.delete(keyOf(next));
    begin(next);
  }

  return {
    /** True for a session that waits for its turn now. */
    mustWait(address: SessionAddress): boolean {
      if (count >= mostBeginning) waiting.set(keyOf(address), address);
      return count >= mostBeginning;
    },
    /** Counts a run. @returns the function to call when its session was read, or could not be */
    add(address: SessionAddress): () => void {
      waiting.delete(keyOf(address));
      count += 1;
      let onBegun = (): void => undefined;
      void new Promise<void>((resolve) => (onBegun = resolve)).then(beginNext);
      return onBegun;
    },
  };
}

/** Calls the function with a lease. False when it rejects: its wake-ups stay, and the session runs again. */
async function isServed(
  { tables, sessions, mostDeaths }: QueueOptions,
  call: RunSession,
  { address, wakes, deaths, ending, onBegun }: Begun,
): Promise<boolean> {
  const { signal } = ending;
  try {
    const epoch = await beginEpoch(tables(), address);
    const store = fencedStore(sessions(address.owner), ending, (load) =>
      noteStart(tables(), address, epoch, load),
    );
    const effects = effectLog(effectRecords(tables, address, epoch));
    const verdict = verdictOf(deaths, mostDeaths);
    const load = (id: string): ReturnType<SessionStore['load']> => store.load(id).finally(onBegun);
    await call(address, { epoch, signal, verdict, sessions: { ...store, load }, effects });
    if (signal.aborted) await forgetDeaths(tables(), address);
    else await settleWakes(tables(), address, wakes);
    return true;
  } catch {
    return false;
  } finally {
    ending.abort();
  }
}

/** Forgets the deaths of a session; false when the disk failed, and so they stay. */
async function areForgotten(tables: QueueOptions['tables'], address: SessionAddress): Promise<boolean> {
  try {
    await forgetDeaths(tables(), address);
    return true;
  } catch {
    return false;
  }
}

/** The time for runs to end after their leases have, in milliseconds. */
const endMs = 500;

/** The sessions with a due wake-up, or the given one of them. */
function dueSessions({ all }: HostTables, address?: SessionAddress): readonly Due[] {
  const ofSession = address === undefined ? '' : 'AND owner = ? AND agent = ? AND session = ?';
  const values = address === undefined ? [] : [address.owner, address.agent, address.sessionId];
  const found = all(
    `SELECT owner, agent, session, max(n) AS last, ${now} AS due FROM host_wakes WHERE at <= ${now} ${ofSession}
       GROUP BY owner, agent, session ORDER BY last`,
    ...values,
  );
  return found.map((row) => ({
    address: addressOf(row),
    wakes: { last: Number(row['last']), due: Number(row['due']) },
  }));
}
