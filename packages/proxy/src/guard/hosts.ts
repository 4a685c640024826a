/**
 * Which names a proxy answers to. A page of any site can let its own name point at this machine (DNS rebinding), and
 * then speaks with the proxy as one of its own pages; the name in the Host header gives it away.
 */
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Addresses that stand for every address of a machine. */
const everyAddress = ['0.0.0.0', '[::]'];

/** The host that a request asks for, as its client names it: a name or an address, with the port if there is one. */
export function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/**
 * True when a request asks for this machine (`localhost`, `127.0.0.1`, `[::1]`) or for one of `allowed`, at any port.
 * An entry may name a port (`chat.example:8443`) and then holds for that alone; `0.0.0.0` and `::` stand for
 * every IP address, which no foreign name can be.
 */
export function isOwnHost(request: Request, allowed: readonly string[]): boolean {
  const asked = parseHost(hostOf(request));
  if (asked === null) return false;
  if (loopback.includes(asked.name)) return true;
  return allowed.some((entry) => {
    const own = parseHost(entry);
    if (own === null || (own.port !== '' && own.port !== asked.port)) return false;
    return own.name === asked.name || (everyAddress.includes(own.name) && isAddress(asked.name));
  });
}

/** The hosts of a comma-separated list, as in `ALLOWED_HOSTS`. */
export function hostsFromEnv(env: Readonly<Record<string, string | undefined>>): string[] {
  return (env['ALLOWED_HOSTS'] ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function parseHost(host: string): { readonly name: string; readonly port: string } | null {
  // An IPv6 address may come without its brackets, as in HOST=::1.
  const text = /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(host) ? `[${host}]` : host;
  if (/[/?#@\\\s]/.test(text) || !URL.canParse(`http://${text}`)) return null;
  const name = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  // The parser leaves out the port that is usual.
  const port = /:(\d+)$/.exec(text)?.[1] ?? '';
  return name === '' ? null : { name, port };
}

function isAddress(name: string): boolean {
  return name.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(name);
}
