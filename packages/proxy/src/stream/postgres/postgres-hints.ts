import type { PostgresConnection, PostgresPool } from '../../postgres-pool.ts';

/** Notifications of one channel, over one connection. A hint may be lost; who waits looks again by itself. */
export type PostgresHints = {
  readonly watch: (id: string, listener: (hint: string) => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Listens when the first one watches, and again after the connection was lost. The payload is `<hint>:<id>`. */
export function createPostgresHints(pool: PostgresPool, channel: string): PostgresHints {
  const listeners = new Map<string, Set<(hint: string) => void>>();
  let connecting: Promise<PostgresConnection> | null = null;

  function hear({ payload = '' }: { readonly payload?: string | undefined }): void {
    const at = payload.indexOf(':');
    for (const listener of listeners.get(payload.slice(at + 1)) ?? []) listener(payload.slice(0, at));
  }

  async function connect(): Promise<PostgresConnection> {
    const connection = await pool.connect();
    const onLost = (): void => {
      if (connecting === null) return;
      connecting = null;
      connection.release(true);
    };
    connection.on('error', onLost);
    connection.on('end', onLost);
    connection.on('notification', hear);
    await connection.query(`LISTEN ${channel}`);
    // What changed before that was not heard.
    for (const id of listeners.keys())
      for (const hint of ['entries', 'state']) hear({ payload: `${hint}:${id}` });
    return connection;
  }

  function listen(): void {
    if (connecting !== null) return;
    connecting = connect();
    connecting.catch(() => (connecting = null));
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
      const connection = await connecting?.catch(() => null);
      connecting = null;
      connection?.release(true);
    },
  };
}
