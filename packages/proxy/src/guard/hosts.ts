import { type EnvRecord, listOf } from '../kit/env-record.ts';

/** Names of this machine. Any other Host may be a name that a foreign page points here (DNS rebinding). */
const loopback = ['localhost', '127.0.0.1', '[::1]'];

const everyAddress = ['0.0.0.0', '[::]'];

const address = /^(?:\[|\d+\.\d+\.\d+\.\d+$)/;

/** The host that a request names: a name or an address, with its port if given. */
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/**
 * True for a request to this machine or to one of `allowed`, at its port if it names one. `0.0.0.0` and `::` stand for
 * every IP address, because no foreign name can be one.
 */
export function isOwnHost(request: Request, allowed: readonly string[]): boolean {
  const asked = parseHost(hostOf(request));
  if (asked === null) return false;
  if (loopback.includes(asked.name)) return true;
  return allowed.some((entry) => {
    const own = parseHost(entry);
    if (own === null || (own.port !== '' && own.port !== asked.port)) return false;
    return own.name === asked.name || (everyAddress.includes(own.name) && address.test(asked.name));
  });
}

/** True for a name of this machine. */
export function isLoopback(host: string): boolean {
  const found = parseHost(host);
  return found !== null && loopback.includes(found.name);
}

/** The hosts of a comma-separated list, as in `ALLOWED_HOSTS`. */
export function hostsFromEnv(env: EnvRecord): string[] {
  return listOf(env, 'ALLOWED_HOSTS');
}

/** True for a valid host: a name or an address, optionally with a port. `*` and addresses with a scheme are invalid. */
export function isHost(text: string): boolean {
  return !text.includes('*') && parseHost(text) !== null;
}

function parseHost(host: string): { readonly name: string; readonly port: string } | null {
  // An IPv6 address may come without its brackets, as in HOST=::1.
  const text = /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(host) ? `[${host}]` : host;
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(`http://${text}`)) return null;
  const name = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  // The URL parser drops the default port.
  const port = /:(\d+)$/.exec(text)?.[1] ?? '';
  return name === '' ? null : { name, port };
}
