import type { MessageRole } from '@vitrine/core/types';
import { textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ForeignAnswer, ForeignMessage } from '@vitrine/inspect/internal/foreign/foreign-history';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import {
  asWatched,
  createObservations,
  isWatched,
  type ObserveOptions,
} from '@vitrine/inspect/internal/foreign/observations';
import { endOf, type ObservedStream } from '@vitrine/inspect/internal/foreign/observed-stream';
import { chatStream, partsOf } from './chat-stream.ts';
import { ChatFacts, streamWithFacts } from './facts-stream.ts';

/** A `ChatTransport` of `ai` 6 or 7, as far as it is watched. */
export type WatchableTransport = {
  sendMessages: (options: never) => Promise<ReadableStream<unknown>>;
  reconnectToStream: (options: never) => Promise<ReadableStream<unknown> | null>;
};

/** Options of `observeChat`. */
export type ObserveChatOptions = ObserveOptions & {
  /** The address where the server answers with `vitrineTelemetry`, for prompts and usage. Default: neither is known. */
  readonly telemetry?: string;
};

type Sent = {
  readonly chatId?: unknown;
  readonly messages?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
};

const factsOf = new WeakMap<ObservedSession, ChatFacts>();

/**
 * Watches a chat of the AI SDK: returns a transport that does what the given one does, and shows each chat as a session
 * in the panel. Nothing that goes wrong in watching reaches the chat. In production it returns the transport itself.
 * @example
 * const chat = useChat({ transport: observeChat(new DefaultChatTransport({ api: '/api/chat' })) });
 */
export function observeChat<Transport extends WatchableTransport>(
  transport: Transport,
  { name = 'chat', telemetry }: ObserveChatOptions = {},
): Transport {
  if (isWatched(transport)) return transport;
  const sessionOf = createObservations('ai-sdk', name);

  function beginStream(sent: Sent, isAgain: boolean): ObservedStream | null {
    const chat = textOf(sent.chatId);
    const session = sessionOf(chat);
    if (session === null) return null;
    let history: History = nothingSent;
    // A stream that is joined again tells nothing of the conversation before it.
    session.runSafely(() => void (history = isAgain ? nothingSent : readHistory(sent.messages)));
    const begin = (): ObservedStream => {
      session.runSafely(() => session.begin(history.messages, history.answers));
      return chatStream(session);
    };
    if (telemetry === undefined) return begin();
    const facts = factsOf.get(session) ?? new ChatFacts(telemetry, chat ?? 'chat');
    factsOf.set(session, facts);
    return streamWithFacts(session, facts, begin);
  }

  const watched = {
    async sendMessages(options: never): Promise<ReadableStream<unknown>> {
      const stream = beginStream(options, false);
      try {
        const source = await transport.sendMessages(options);
        return stream === null ? source : tapStream(source, stream, options);
      } catch (thrown) {
        stream?.end(endOf(thrown, (options as Sent).abortSignal));
        throw thrown;
      }
    },
    async reconnectToStream(options: never): Promise<ReadableStream<unknown> | null> {
      const source = await transport.reconnectToStream(options);
      if (source === null) return null;
      const stream = beginStream(options, true);
      return stream === null ? source : tapStream(source, stream, options);
    },
  };
  // Methods of a transport usually stand on its prototype, and may use private fields.
  return asWatched(
    new Proxy(transport, {
      get(target, key) {
        if (Object.hasOwn(watched, key)) return watched[key as keyof typeof watched];
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }),
  );
}

/** The same stream; each chunk is also taken by the watcher. */
function tapStream(
  source: ReadableStream<unknown>,
  stream: ObservedStream,
  options: Sent,
): ReadableStream<unknown> {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            stream.end(options.abortSignal?.aborted === true ? { stopped: bridgeTexts.stopped } : {});
            controller.close();
            return;
          }
          stream.take(value);
          controller.enqueue(value);
        } catch (thrown) {
          stream.end(endOf(thrown, (options as Sent).abortSignal));
          controller.error(thrown);
        }
      },
      cancel(reason) {
        stream.end({ stopped: bridgeTexts.left });
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

type History = {
  readonly messages: readonly ForeignMessage[] | null;
  readonly answers: readonly ForeignAnswer[];
};
const nothingSent: History = { messages: null, answers: [] };
type Part = { readonly [field: string]: unknown };

/** The conversation that a chat sends, and the answers to calls in its last message. */
function readHistory(given: unknown): History {
  const all = (Array.isArray(given) ? given : []) as readonly (Part | null)[];
  const messages = all.flatMap((message): ForeignMessage[] => {
    if (message === null) return [];
    const role = message['role'] as MessageRole;
    if (role !== 'user' && role !== 'assistant' && role !== 'system') return [];
    return [{ id: String(message['id']), role, parts: partsOf(message['parts']) }];
  });
  const last = all.at(-1);
  const parts =
    last?.['role'] === 'assistant' && Array.isArray(last['parts']) ? (last['parts'] as Part[]) : [];
  return { messages, answers: parts.flatMap(answersIn) };
}

function answersIn(part: Part): readonly ForeignAnswer[] {
  const callId = textOf(part['toolCallId']);
  if (callId === null) return [];
  const approval = part['approval'] as Part | undefined;
  const comment = textOf(approval?.['reason']);
  switch (part['state']) {
    case 'approval-responded':
      return [{ callId, type: 'approval', isApproved: approval?.['approved'] === true, comment }];
    case 'output-denied':
      return [{ callId, type: 'approval', isApproved: false, comment }];
    case 'output-available':
      return [{ callId, type: 'output', output: part['output'] }];
    case 'output-error':
      return [{ callId, type: 'error', message: String(part['errorText']) }];
    default:
      return [];
  }
}
