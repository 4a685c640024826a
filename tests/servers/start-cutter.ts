import { connect, createServer, type Socket, type AddressInfo } from 'node:net';

/** A relay in front of a server that breaks its first connection. */
export type Cutter = {
  readonly url: string;
  /** Connections so far. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
};

/**
 * Relays TCP to a server of this machine. The first connection is broken after `events` server-sent events have passed
 * and `bytes` bytes of what follows.
 */
export async function startCutter(target: string, cut: { events: number; bytes: number }): Promise<Cutter> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    const isFirst = ++connections === 1;
    const upstream = connect(Number(port), hostname);
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(upstream);
    let passed = '';
    upstream.on('data', (data: Buffer) => {
      const before = passed.length;
      passed += data.toString('latin1');
      const place = isFirst ? cutAt(passed, cut) : null;
      if (place === null) client.write(data);
      else client.write(data.subarray(0, Math.max(0, place - before)), end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** The place at which the connection breaks; null when fewer bytes have passed. */
function cutAt(passed: string, { events, bytes }: { events: number; bytes: number }): number | null {
  let at = passed.indexOf('\r\n\r\n') + 4;
  // An event has a line of data; a ping has none.
  for (let seen = 0; seen < events; seen++) {
    const data = passed.indexOf('\ndata: ', at);
    const end = data < 0 ? -1 : passed.indexOf('\n\n', data);
    if (end < 0) return null;
    at = end + 2;
  }
  return passed.length >= at + bytes ? at + bytes : null;
}
