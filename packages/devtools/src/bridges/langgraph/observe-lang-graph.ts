import type { MessagePart } from '@vitrine/core';
import type { MessageRole } from '@vitrine/core/types';
import { bridgeTexts } from '../bridge-texts.ts';
import { type Foreign, foreign, listOf, textOf } from '../foreign-values.ts';
import { createObservations, type ObserveOptions } from '../observations.ts';
import type { ForeignAnswer, ForeignMessage, ObservedSession } from '../observed-session.ts';
import { endOf, type ObservedStream, type StreamEnd } from '../observed-stream.ts';
import { type InOrder, inOrder, type ProtocolEvent, seqOf } from './in-order.ts';
import { answersIn, type Interrupts, isRunEnd, lifecycleOf, threadStream } from './thread-stream.ts';

/** An `AgentServerAdapter` of `@langchain/langgraph-sdk`, as far as it is watched. */
export type WatchableAdapter = {
  readonly threadId: string;
  send: (command: never) => Promise<unknown>;
  events: () => AsyncIterable<unknown>;
  openEventStream?: (params: never) => unknown;
  close: () => Promise<void>;
};

/** A watched thread of a server. */
type Thread = {
  readonly session: ObservedSession;
  readonly interrupts: Interrupts;
  readonly order: InOrder;
  stream: ObservedStream | null;
  /**
   * A person may answer before the run that asked has ended. Then its end comes first, and the beginning of the run that
   * goes on after it. Null in all other cases.
   */
  awaited: 'end' | 'beginning' | null;
  /** The number of the last event that asked a person. */
  askedAt: number;
};

/** The handle of a stream of events. */
type Handle = { readonly events: AsyncIterable<unknown>; readonly ready: Promise<void>; close: () => void };

export function observeLangGraph<Adapter extends WatchableAdapter>(
  adapter: Adapter,
  { name = 'agent' }: ObserveOptions = {},
): Adapter {
  const sessionOf = createObservations(name);
  const threads = new WeakMap<ObservedSession, Thread>();
  let current: Thread | null = null;

  /** The thread of the adapter; null when watching fails. */
  function threadOf(): Thread | null {
    const session = sessionOf(textOf(adapter.threadId) ?? 'thread');
    if (session === null) return null;
    const thread = threads.get(session) ?? newThread(session);
    threads.set(session, thread);
    return (current = thread);
  }

  function begin(command: unknown): Thread | null {
    const { method, params: given } = foreign(command);
    if (method !== 'run.start' && method !== 'input.respond') return null;
    const thread = threadOf();
    if (thread === null) return null;
    const { session, interrupts, order } = thread;
    session.guarded(() => {
      order.flush();
      const params = foreign(given);
      const responses = 'responses' in params ? listOf(params['responses']) : [params];
      const answers = responses.flatMap((one): readonly ForeignAnswer[] => answersIn(one, interrupts));
      thread.awaited = answers.length > 0 && session.isRunning && session.isWaiting ? 'end' : null;
      if (thread.awaited !== null) session.finish();
      session.add(method === 'run.start' ? messagesIn(params['input']) : []);
      session.begin(null, answers);
    });
    thread.stream = threadStream(session, interrupts);
    return thread;
  }

  async function send(command: never): Promise<unknown> {
    const thread = begin(command);
    try {
      const answer = await adapter.send(command);
      const { type, message } = foreign(answer);
      if (type === 'error') end(thread, { error: new Error(textOf(message) ?? bridgeTexts.streamFailed) });
      return answer;
    } catch (thrown) {
      end(thread, endOf(thrown, undefined));
      throw thrown;
    }
  }

  const watched: { readonly [key: PropertyKey]: unknown } = {
    send,
    events: () => tapped(adapter.events(), threadOf()),
    openEventStream(params: never) {
      const handle = adapter.openEventStream?.(params) as Handle | undefined;
      if (handle === undefined) return undefined;
      return { events: tapped(handle.events, threadOf()), ready: handle.ready, close: () => handle.close() };
    },
    close() {
      end(current, { stopped: bridgeTexts.left });
      return adapter.close();
    },
  };
  return new Proxy(adapter, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return Object.hasOwn(watched, key) ? watched[key] : (value.bind(target) as unknown);
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

/** The events of a stream as they are read, each noted for its thread. */
function tapped(events: AsyncIterable<unknown>, thread: Thread | null): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          const { type, method } = foreign(next.value);
          if (type === 'event' || method !== undefined)
            thread?.session.guarded(() => thread.order.take(next.value as ProtocolEvent));
          return next;
        },
        return: async (value?: unknown) =>
          (await iterator.return?.(value)) ?? { done: true, value: undefined },
      };
    },
  };
}

function newThread(session: ObservedSession): Thread {
  const thread: Thread = {
    session,
    interrupts: new Map(),
    order: inOrder(
      (event) => {
        if (event.method === 'input.requested') thread.askedAt = seqOf(event);
        if (!isOfRunBefore(thread, event)) thread.stream?.take(event);
      },
      (event) => thread.awaited === null && isRunEnd(event),
    ),
    stream: null,
    awaited: null,
    askedAt: 0,
  };
  return thread;
}

/** True for the end of a run that was answered before it, which is none of the run that goes on. */
function isOfRunBefore(thread: Thread, event: ProtocolEvent): boolean {
  const { awaited, askedAt } = thread;
  // A connection that is opened for the answer tells what was before the question, too.
  if (awaited === null || seqOf(event) <= askedAt) return false;
  const lifecycle = lifecycleOf(event);
  if (awaited === 'end' && lifecycle === null) return false;
  const isEnd = awaited === 'end' && lifecycle === 'interrupted';
  thread.awaited = isEnd ? 'beginning' : null;
  // The server of the LangGraph CLI tells the beginning of the next run as `completed` then.
  return isEnd || (awaited === 'beginning' && lifecycle === 'completed');
}

function end(thread: Thread | null, how: StreamEnd): void {
  thread?.session.guarded(() => thread.order.flush());
  thread?.stream?.end(how);
}

const roles: { readonly [role: string]: MessageRole } = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
};

/** The messages in the input of a run. */
function messagesIn(input: unknown): readonly ForeignMessage[] {
  const { messages } = foreign(input);
  const all = Array.isArray(messages) ? listOf(messages) : [foreign(messages)];
  return all.flatMap(({ id, type, role, content }): readonly ForeignMessage[] => {
    const ours = roles[textOf(type) ?? textOf(role) ?? ''];
    return ours === undefined ? [] : [{ id: textOf(id) ?? '', role: ours, parts: partsOf(content) }];
  });
}

function partsOf(content: unknown): readonly MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).flatMap(({ text }: Foreign): readonly MessagePart[] =>
    typeof text === 'string' ? [{ type: 'text', text }] : [],
  );
}
