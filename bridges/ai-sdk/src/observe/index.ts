import * as bridge from './observe-chat.ts';
import type { ObserveChatOptions, WatchableTransport } from './observe-chat.ts';
import * as server from './vitrine-telemetry.ts';
import type { VitrineTelemetry } from './vitrine-telemetry.ts';

export type { ObserveChatOptions, WatchableTransport } from './observe-chat.ts';
export type { VitrineTelemetry } from './vitrine-telemetry.ts';

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

/**
 * Tells prompts and usage of a server with `ai` 7 to the pages that watch its chats: an integration for
 * `registerTelemetry`, whose `answer` serves the address in the option `telemetry` of `observeChat`. A call belongs to
 * the chat with the id in its `telemetry.functionId`; without one, to the only chat. In production it tells nothing
 * and answers 404.
 * @example
 * export const telemetry = vitrineTelemetry();
 * registerTelemetry(telemetry);
 */
export const vitrineTelemetry: () => VitrineTelemetry =
  process.env.NODE_ENV === 'production' ? silent : server.vitrineTelemetry;

function silent(): VitrineTelemetry {
  const nothing = (): void => undefined;
  return {
    onStart: nothing,
    onLanguageModelCallStart: nothing,
    onLanguageModelCallEnd: nothing,
    answer: () => Promise.resolve(new Response(null, { status: 404 })),
  };
}
