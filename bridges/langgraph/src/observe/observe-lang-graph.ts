import { eventStream } from '@vitrine/ag-ui/internal/observe/event-stream';
import type { MessagePart } from '@vitrine/core';
import type { MessageRole } from '@vitrine/core/types';
import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import type { ForeignAnswer, ForeignMessage } from '@vitrine/inspect/internal/foreign/foreign-history';
import { type Foreign, foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import {
  asWatched,
  createObservations,
  isWatched,
  type ObserveOptions,
} from '@vitrine/inspect/internal/foreign/observations';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import {
  endOf,
  type ObservedStream,
  type StreamEnd,
} from '@vitrine/inspect/internal/foreign/observed-stream';
import { rootLifecycle, runFilter } from '../run-filter.ts';
import { ThreadEvents } from '../thread-events.ts';
import { type InOrder, inOrder, type ProtocolEvent } from './in-order.ts';

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
  readonly memory: ThreadMemory;
  readonly order: InOrder;
  stream: ObservedStream | null;
  /** True when the end of another run is told before the run that was begun last. */
  isBehindOther: boolean;
  /** Gives the events of the run that was begun last; null until the server has answered its command. */
  ofRun: ReturnType<typeof runFilter> | null;
  /** The events that came before that answer. */
  held: ProtocolEvent[];
};

type Handle = { readonly events: AsyncIterable<unknown>; readonly ready: Promise<void>; close: () => void };

const threads = new WeakMap<ObservedSession, Thread>();

export function observeLangGraph<Adapter extends WatchableAdapter>(
  adapter: Adapter,
  { name = 'agent' }: ObserveOptions = {},
): Adapter {
  if (isWatched(adapter)) return adapter;
  const sessionOf = createObservations('langgraph', name);
  let current: Thread | null = null;

  /** The thread of the adapter; null when watching fails. */
  function threadOf(): Thread | null {
    const session = sessionOf(textOf(adapter.threadId));
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
    const { session, memory, order } = thread;
    session.runSafely(() => {
      order.flush();
      const params = foreign(given);
      const responses = 'responses' in params ? listOf(params['responses']) : [params];
      const answers = responses.flatMap((one): readonly ForeignAnswer[] =>
        answersIn(one, session.interrupts),
      );
      // A person may answer, or say something else, before the run that asked has ended.
      const isBehindOther = session.isRunning;
      if (isBehindOther && session.isWaiting) session.finish();
      thread.isBehindOther = isBehindOther;
      thread.ofRun = null;
      if (answers.length === 0) memory.known = [];
      session.add(method === 'run.start' ? messagesIn(params['input']) : []);
      session.begin(null, answers);
      thread.stream = threadStream(session, memory, answers);
    });
    return thread;
  }

  async function send(command: never): Promise<unknown> {
    const thread = begin(command);
    try {
      const answer = await adapter.send(command);
      const { type, message, meta } = foreign(answer);
      if (thread !== null) noteAnswer(thread, foreign(meta)['applied_through_seq']);
      if (type === 'error') end(thread, { error: new Error(textOf(message) ?? bridgeTexts.streamFailed) });
      return answer;
    } catch (thrown) {
      end(thread, endOf(thrown, undefined));
      throw thrown;
    }
  }

  const watched: { readonly [key: PropertyKey]: unknown } = {
    send,
    events: () => tapAll(adapter.events(), threadOf()),
    openEventStream(params: never) {
      const handle = adapter.openEventStream?.(params) as Handle | undefined;
      if (handle === undefined) return undefined;
      return { events: tapAll(handle.events, threadOf()), ready: handle.ready, close: () => handle.close() };
    },
    close() {
      end(current, { stopped: bridgeTexts.left });
      return adapter.close();
    },
  };
  const proxy = new Proxy(adapter, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return Object.hasOwn(watched, key) ? watched[key] : (value.bind(target) as unknown);
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
  return asWatched(proxy);
}

/** The events of a stream as they are read, each noted for its thread. */
function tapAll(events: AsyncIterable<unknown>, thread: Thread | null): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = events[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          const { type, method } = foreign(next.value);
          if (type === 'event' || method !== undefined)
            thread?.session.runSafely(() => thread.order.take(next.value as ProtocolEvent));
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
    memory: { known: [] },
    order: inOrder((event) => {
      if (thread.ofRun === null) thread.held.push(event);
      else for (const one of thread.ofRun(event)) thread.stream?.take(one);
    }, isRunEnd),
    stream: null,
    isBehindOther: false,
    ofRun: () => [],
    held: [],
  };
  return thread;
}

/** Takes what came before the server's answer to a command, with the number that it names. */
function noteAnswer(thread: Thread, seq: unknown): void {
  thread.session.runSafely(() => {
    const { isBehindOther, held } = thread;
    const ofRun = runFilter({ answeredAt: typeof seq === 'number' ? seq : null, isBehindOther });
    thread.ofRun = ofRun;
    thread.held = [];
    for (const event of held) for (const one of ofRun(event)) thread.stream?.take(one);
  });
}

function end(thread: Thread | null, how: StreamEnd): void {
  thread?.session.runSafely(() => thread.order.flush());
  thread?.stream?.end(how);
}

const roles: { readonly [role: string]: MessageRole } = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
};

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

/** Ids of the messages and calls that a thread has told since the last question. */
type ThreadMemory = { known: Iterable<string> };

/** True for the event with which the run of a thread ends. */
function isRunEnd(event: ProtocolEvent): boolean {
  return /^(completed|failed|interrupted)$/.test(rootLifecycle(event) ?? '');
}

/** Maps the events of the Agent Streaming Protocol to a watched session: they are read as `langGraphAgent` reads them. */
export function threadStream(
  session: ObservedSession,
  memory: ThreadMemory,
  answers: readonly ForeignAnswer[],
): ObservedStream {
  const events = new ThreadEvents({
    awaited: answers.map(({ callId }) => callId),
    known: memory.known,
    isWatched: true,
    onSkipped: (what) => session.skip(what),
  });
  memory.known = events.known;
  const stream = eventStream(session);
  return {
    ...stream,
    take: (event) =>
      session.runSafely(() => {
        const hadEnded = events.end !== null;
        events.take(foreign(event)).forEach(stream.take);
        if (events.end !== null && !hadEnded) events.finish(events.end, '').forEach(stream.take);
      }),
  };
}

/** The answers in the response to an interrupt. */
function answersIn(
  { interrupt_id: id, response }: Foreign,
  interrupts: ObservedSession['interrupts'],
): readonly ForeignAnswer[] {
  const waiting = interrupts.get(String(id));
  if (waiting === undefined) return [];
  interrupts.delete(String(id));
  const decisions = listOf(foreign(response)['decisions']);
  return waiting.callIds.flatMap((callId, index): readonly ForeignAnswer[] => {
    const { type, message } = foreign(decisions[index]);
    const answer = {
      callId,
      type: 'approval',
      isApproved: type !== 'reject',
      comment: textOf(message),
    } as const;
    return waiting.isCall ? [answer] : [answer, { callId, type: 'output', output: response ?? null }];
  });
}
