import * as bridge from './observe-connection.ts';
import type { WatchableConnection } from './observe-connection.ts';

export type { WatchableConnection } from './observe-connection.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Watches a chat of TanStack AI in the panel: returns a connection that does what the given one does. In production it
 * returns the given one, and the bundle contains nothing of the bridge.
 * The panel calls it by `name` (default: `chat`).
 * @example
 * const chat = useChat({ connection: observeConnection(fetchServerSentEvents('/api/chat')) });
 */
export const observeConnection: <Connection extends WatchableConnection>(
  connection: Connection,
  options?: { readonly name?: string },
) => Connection =
  process.env.NODE_ENV === 'production' ? (connection) => connection : bridge.observeConnection;
