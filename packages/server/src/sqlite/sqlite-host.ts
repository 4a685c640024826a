import { AgentError, type JsonValue, type SessionStore } from '@vitrine/core';
import { rowSessions } from '@vitrine/persist';
import { sqliteSessions } from '@vitrine/proxy/sqlite';
import { boundedRows, checkRows, defaultOwnerLimits, inStorage, withReserve } from '../host/owner-limits.ts';
import { defaultDeaths, keyOf, type SessionBus, type SessionHost } from '../host/session-host.ts';
import { hostOverRows } from '../host/stored-rows.ts';
import { addWake, forget, keepCommand } from './host-rows.ts';
import { advice, type HostTables, now, openHostTables, ownHost } from './host-tables.ts';
import { createRunQueue } from './run-queue.ts';

/** Options of {@link sqliteHost}. */
export type SqliteHostOptions = {
  /** The file of the sessions and of the host, which is created when it does not exist; its folder must exist. */
  readonly path: string;
  /** Milliseconds that `start` waits for another process to stop, as an older version does. Default: 30,000. */
  readonly waitMs?: number;
  /** The processes that die with a session, one run after the other, before it is ended as failed. Default: 3. */
  readonly mostDeaths?: number;
};

/**
 * Runs sessions in one process and keeps them in one SQLite file, the same as `sqliteSessions` of `@vitrine/proxy`. A
 * command and its wake-up are one transaction, synced before it resolves. A second process that starts waits until the
 * first has ended, also when it was killed, and then goes on with its sessions. Needs Node 22.13 or newer.
 * @throws AgentError `agent-invalid` for `:memory:`, which no two connections share
 */
export function sqliteHost({
  path,
  waitMs = 30_000,
  mostDeaths = defaultDeaths,
}: SqliteHostOptions): SessionHost {
  if (path === '' || path === ':memory:') {
    const message = `sqliteHost: path is ${JSON.stringify(path)}; give the path of a file, which sessions and host share.`;
    throw new AgentError('agent-invalid', message);
  }
  const store = sqliteSessions({ path });
  const bus = createMemoryBus();
  let opened: HostTables | null = null;
  const open = (): HostTables => (opened ??= openHostTables(path, store));
  function tables(): HostTables {
    if (stopping === null) return open();
    throw new AgentError(
      'session-storage',
      `The host in ${path} was stopped. Create a new one to use it again.`,
    );
  }
  const queue = createRunQueue({ tables: open, sessions, mostDeaths });
  let disown = (): void => undefined;
  let limits = defaultOwnerLimits;

  /** The store of an owner. A removed session takes its commands, wake-ups and epochs with it. */
  function sessions(owner: string): SessionStore {
    const own = rowSessions(boundedRows(store.rows(owner, withReserve(limits)), withReserve(limits)));
    return {
      ...own,
      async remove(id, options) {
        await own.remove(id, options);
        await forget(tables(), owner, id);
      },
    };
  }
  let stopping: Promise<void> | null = null;

  async function stop(graceMs: number): Promise<void> {
    await queue.stop(graceMs);
    opened?.close();
    // Its thread may be writing still.
    await store.close();
    disown();
  }

  return {
    sessions,
    async start(run, given = defaultOwnerLimits) {
      limits = given;
      // The tables come first: they name the reason when the folder does not exist.
      tables();
      disown = await ownHost(path, waitMs);
      queue.start(run);
    },
    async submit(address, command, by, at) {
      if (await keepCommand(tables(), address, { command, by, at }, limits)) queue.look(address);
    },
    ...hostOverRows({
      prefix: 'host_',
      now,
      rows: async (sql, ...values) => tables().all(withNumbers(sql), ...values),
      change: async (_address, statements) =>
        tables().change(statements.map(({ sql, values }) => ({ sql: withNumbers(sql), values }))),
    }),
    bus,
    check: () => inStorage(`The host in ${path} failed`, advice, () => checkRows(store.rows(''))),
    async wakeAt(address, at) {
      await addWake(tables(), address, at);
      queue.look();
    },
    stop: ({ graceMs = 10_000 } = {}) => (stopping ??= stop(graceMs)),
  };
}

/** A statement with the parameters of SQLite, which gives `$1` no number. */
function withNumbers(sql: string): string {
  return sql.replaceAll('$', '?');
}

/** A bus in the memory of one process. Listeners get messages in their order, and after `say` has returned. */
function createMemoryBus(): SessionBus {
  const listeners = new Map<string, Set<(message: JsonValue) => void>>();
  return {
    say(address, message) {
      for (const listener of listeners.get(keyOf(address)) ?? []) queueMicrotask(() => listener(message));
    },
    listen(address, listener) {
      const key = keyOf(address);
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
      };
    },
  };
}
