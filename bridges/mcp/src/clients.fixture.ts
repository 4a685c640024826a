import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import * as newest from '@modelcontextprotocol/client';
import { olderPeer } from '../../../tests/peers/older-peer.ts';

const oldest = await olderPeer<typeof newest>('mcp-client-2-0');

/** A version of the client with an era of the protocol that it asks for. */
export type Era = { readonly version: '2.0' | 'newest'; readonly mode: 'legacy' | 'auto' };

/** The newest client and, in `npm run prove`, the oldest supported one, each in both eras. */
export const eras: readonly Era[] = (['newest', '2.0'] as const)
  .filter((version) => version === 'newest' || oldest !== null)
  .flatMap((version) => (['legacy', 'auto'] as const).map((mode) => ({ version, mode })));

/** A client that is connected to a server. */
export async function connectedClient(
  url: URL,
  { version, mode }: Era,
  capabilities: NonNullable<ClientOptions['capabilities']> = {},
): Promise<Client> {
  const options = { versionNegotiation: { mode }, capabilities };
  const about = { name: 'test', version: '1.0.0' };
  const library = version === '2.0' && oldest !== null ? oldest : newest;
  const client = new library.Client(about, options);
  await client.connect(new library.StreamableHTTPClientTransport(url));
  return client;
}
