import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP balancer in front of several servers. */
export type Balancer = {
  readonly url: string;
  /** Sets the target of new connections, by address. */
  readonly use: (urls: readonly string[]) => void;
  readonly stop: () => Promise<void>;
};

/**
 * Gives connections to servers of this machine in turns. One that takes none is passed over; connections that a server
 * has ended, or its death, end for the client too.
 */
export async function startBalancer(): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let targets: readonly string[] = [];
  let turn = 0;

  function relay(client: Socket, tries: number): void {
    const target = targets[turn++ % targets.length];
    if (target === undefined || tries === 0) return void client.destroy();
    const { hostname, port } = new URL(target);
    const server = connect(Number(port), hostname);
    const refused = (): void => relay(client, tries - 1);
    server.once('error', refused);
    server.once('connect', () => {
      server.off('error', refused);
      join(client, server);
    });
  }

  function join(client: Socket, server: Socket): void {
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.once('error', end).once('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.pipe(server).pipe(client);
  }

  const listener = createServer((client) => {
    client.on('error', () => client.destroy());
    relay(client, targets.length);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    use: (urls) => (targets = urls),
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
