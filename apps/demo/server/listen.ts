import type { Server } from 'node:http';
import { fail } from './fail.ts';

const defaultPort = 5173;
const attempts = 10;

/**
 * Starts listening and resolves with the address. Without a PORT it takes the next free one from 5173 on. A
 * PORT in use ends the process with a clear message.
 */
export async function listen(
  server: Server,
  { host, port: text }: { readonly host: string; readonly port: string | undefined },
): Promise<string> {
  const wanted = text ? Number(text) : null;
  if (wanted !== null && !(Number.isInteger(wanted) && wanted >= 0 && wanted < 65_536)) {
    return fail(`PORT is ${JSON.stringify(text)}; it has to be a number from 0 to 65535.`);
  }
  const first = wanted ?? defaultPort;
  for (let port = first; port < first + attempts; port++) {
    const error = await tryListen(server, host, port);
    if (error === null) return addressOf(server, host);
    if (error.code !== 'EADDRINUSE') return fail(`Cannot listen on ${host}:${port}: ${error.message}`);
    if (wanted !== null)
      return fail(`Port ${port} is in use. Stop what uses it, or set PORT to another one.`);
  }
  return fail(`Ports ${first} to ${first + attempts - 1} are all in use. Set PORT to a free one.`);
}

function tryListen(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off('listening', onListening);
      resolve(error);
    };
    const onListening = (): void => {
      server.off('error', onError);
      resolve(null);
    };
    server.once('error', onError).once('listening', onListening).listen(port, host);
  });
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host}:${port}/`;
}
