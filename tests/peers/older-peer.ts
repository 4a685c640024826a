/**
 * An older version of a peer, which only `npm run prove` installs: null in `npm test`, which has the newest one alone.
 *
 * @throws Error of the module loader when it is not installed: `npm ci --prefix tests/peers`
 */
export async function olderPeer<Module>(name: string): Promise<Module | null> {
  if (process.env['OLDER_PEERS'] === undefined) return null;
  return (await import(/* @vite-ignore */ name)) as Module;
}
