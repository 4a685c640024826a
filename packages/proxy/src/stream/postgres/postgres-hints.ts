import type { PostgresPool } from '../../postgres-pool.ts';

/** Notifications of one channel, over one connection. A hint may be lost; who waits looks again by itself. */
export type PostgresHints = {
  readonly watch: (id: string, listener: (hint: string) => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Listens when the first one watches, and again after the connection was lost. The payload is `<hint>:<id>`. */
export function createPostgresHints(pool: PostgresPool, channel: string): PostgresHints {
  const listeners = new Map<string, Set<(hint: string) => void>>();
  let connecting: Promise<() => void> | null = null;

  function hear({ payload = '' }: { readonly payload?: string | undefined }): void {
    const at = payload.indexOf(':');
    for (const listener of listeners.get(payload.slice(at + 1)) ?? []) listener(payload.slice(0, at));
  }

  /** Gives what lets go of the connection again. `onLost` may be called more than once. */
  async function connect(onLost: () => void): Promise<() => void> {
    const connection = await pool.connect();
    let isReleased = false;
    const release = (): void => {
      // A pool throws at whoever gives a connection back twice; one that breaks says so, and later that it has ended.
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
    // What changed before that was not heard.
    for (const id of listeners.keys())
      for (const hint of ['entries', 'state']) hear({ payload: `${hint}:${id}` });
    return release;
  }

  function listen(): void {
    if (connecting !== null) return;
    // Another one may have been opened by the time that this one is told of its end.
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
