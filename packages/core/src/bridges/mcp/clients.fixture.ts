import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as oldest from 'mcp-client-2-0';

/** A version of the client with an era of the protocol that it asks for. */
export type Era = { readonly version: '2.0' | 'newest'; readonly mode: 'legacy' | 'auto' };

/** The oldest supported client and the newest one, each in both eras. */
export const eras: readonly Era[] = (['newest', '2.0'] as const).flatMap((version) =>
  (['legacy', 'auto'] as const).map((mode) => ({ version, mode })),
);

/** A client that is connected to a server. */
export async function connectedClient(
  url: URL,
  { version, mode }: Era,
  capabilities: NonNullable<ClientOptions['capabilities']> = {},
): Promise<Client> {
  const options = { versionNegotiation: { mode }, capabilities };
  const about = { name: 'test', version: '1.0.0' };
  if (version === 'newest') {
    const client = new Client(about, options);
    await client.connect(new StreamableHTTPClientTransport(url));
    return client;
  }
  const client = new oldest.Client(about, options);
  await client.connect(new oldest.StreamableHTTPClientTransport(url));
  // Two versions of a class are different types because of their private fields.
  return client as unknown as Client;
}
