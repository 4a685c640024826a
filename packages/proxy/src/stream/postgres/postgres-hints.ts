import type { PostgresPool } from '../../kit/postgres.ts';

/** Notifications of one channel, over one connection. A hint may be lost; waiting readers poll as well. */
export type PostgresHints = {
  readonly watch: (id: string, listener: (hint: string) => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Listens when the first watcher comes, and again after the connection was lost. The payload is `<hint>:<id>`. */
export function createPostgresHints(pool: PostgresPool, channel: string): PostgresHints {
  const listeners = new Map<string, Set<(hint: string) => void>>();
  let connecting: Promise<() => void> | null = null;

  function hear({ payload = '' }: { readonly payload?: string | undefined }): void {
    const at = payload.indexOf(':');
    for (const listener of listeners.get(payload.slice(at + 1)) ?? []) listener(payload.slice(0, at));
  }

  /** Connects and returns the function that releases the connection. `onLost` may be called more than once. */
  async function connect(onLost: () => void): Promise<() => void> {
    const connection = await pool.connect();
    let isReleased = false;
    const release = (): void => {
      // A pool throws when a connection is released twice; a broken connection emits an error and later its end.
      if (!isReleased) connection.release(true);
      isReleased = true;
    };
    for (const event of ['error', 'end'] as const) {
      connection.on(event, () => {
        onLost();
        release();
      });
    }
    connection.on('notification', hear);
    try {
      await connection.query(`LISTEN ${channel}`);
    } catch (error) {
      release();
      throw error;
    }
    // Changes before this moment were not heard.
    for (const id of listeners.keys())
      for (const hint of ['entries', 'state']) hear({ payload: `${hint}:${id}` });
    return release;
  }

  function listen(): void {
    if (connecting !== null) return;
    // A new connection may be open by the time that the end of this one is reported.
    const onLost = (): void => {
      if (connecting === opening) connecting = null;
    };
    const opening = connect(onLost);
    connecting = opening;
    opening.catch(onLost);
  }

  return {
    watch(id, listener) {
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(listener));
      listen();
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(id) === own) listeners.delete(id);
      };
    },
    async close() {
      listeners.clear();
      const release = await connecting?.catch(() => null);
      connecting = null;
      release?.();
    },
  };
}
