/** Gives the IP addresses of a name; rejects, or gives none, when it has none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

type Dns = {
  readonly lookup: (name: string, options: { all: true }) => Promise<readonly { readonly address: string }[]>;
};
type Process = { readonly getBuiltinModule?: (name: string) => unknown };

/** Asks the system as Node does; null where there is no Node, and so nobody to ask. It imports nothing of Node's. */
export function systemResolver(): ResolveHost | null {
  const { process } = globalThis as { readonly process?: Process };
  const dns = process?.getBuiltinModule?.('node:dns/promises') as Dns | undefined;
  if (typeof dns?.lookup !== 'function') return null;
  return async (name) => (await dns.lookup(name, { all: true })).map(({ address }) => address);
}
