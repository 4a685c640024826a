/** Resolves a name to its IP addresses. Rejects, or returns none, when it has none. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

type Dns = {
  readonly lookup: (name: string, options: { all: true }) => Promise<readonly { readonly address: string }[]>;
};
type Process = { readonly getBuiltinModule?: (name: string) => unknown };

/** The system's resolver on Node; null on other runtimes. It imports no module of Node. */
export function systemResolver(): ResolveHost | null {
  const { process } = globalThis as { readonly process?: Process };
  const dns = process?.getBuiltinModule?.('node:dns/promises') as Dns | undefined;
  if (typeof dns?.lookup !== 'function') return null;
  return async (name) => (await dns.lookup(name, { all: true })).map(({ address }) => address);
}
