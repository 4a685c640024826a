import * as bridge from './observe-connection.ts';
import type { ObserveOptions } from '@vitrine/inspect/internal/foreign/observations';
import type { WatchableConnection } from './observe-connection.ts';

export type { ObserveOptions } from '@vitrine/inspect/internal/foreign/observations';
export type { WatchableConnection } from './observe-connection.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Watches a chat of TanStack AI in the panel: returns a connection that does what the given one does. In production it
 * returns the given one, and the bundle contains nothing of the bridge.
 * @example
 * const chat = useChat({ connection: observeConnection(fetchServerSentEvents('/api/chat')) });
 */
export const observeConnection: <Connection extends WatchableConnection>(
  connection: Connection,
  options?: ObserveOptions,
) => Connection =
  process.env.NODE_ENV === 'production' ? (connection) => connection : bridge.observeConnection;
