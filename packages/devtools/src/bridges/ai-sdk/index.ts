import * as bridge from './observe-chat.ts';
import type { ObserveChatOptions, WatchableTransport } from './observe-chat.ts';

export type { ObserveChatOptions, WatchableTransport } from './observe-chat.ts';

declare const process: { env: { NODE_ENV?: string } };

/**
 * Watches a chat of the AI SDK in the panel: returns a transport that does what the given one does. In production it
 * returns the given one, and the bundle contains nothing of the bridge.
 * @example
 * const chat = useChat({ transport: observeChat(new DefaultChatTransport({ api: '/api/chat' })) });
 */
export const observeChat: <Transport extends WatchableTransport>(
  transport: Transport,
  options?: ObserveChatOptions,
) => Transport = process.env.NODE_ENV === 'production' ? (transport) => transport : bridge.observeChat;
