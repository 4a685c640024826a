import type { MessagePart } from '@vitrine/core';
import { eventStream } from '@vitrine/ag-ui/internal/observe/event-stream';
import { decisionsOf } from '@vitrine/ag-ui/internal/observe/run-input';
import { failureIn } from '@vitrine/ag-ui/internal/remote/remote-step';
import { roleOf } from '@vitrine/ag-ui/internal/snapshot-messages';
import { bridgeTexts } from '@vitrine/inspect/internal/foreign/bridge-texts';
import {
  type Foreign,
  foreign,
  listOf,
  parsedJson,
  textOf,
} from '@vitrine/inspect/internal/foreign/foreign-values';
import {
  asWatched,
  createObservations,
  isWatched,
  type ObserveOptions,
} from '@vitrine/inspect/internal/foreign/observations';
import type { ForeignAnswer, ForeignMessage } from '@vitrine/inspect/internal/foreign/foreign-history';
import { endOf, type ObservedStream } from '@vitrine/inspect/internal/foreign/observed-stream';

/** A connection with `connect` of `@tanstack/ai-client`, as far as it is watched. */
export type WatchableConnection = {
  connect: (
    messages: never,
    data?: never,
    abortSignal?: AbortSignal,
    runContext?: never,
  ) => AsyncIterable<unknown>;
};

type RunContext = { readonly threadId?: unknown; readonly resume?: unknown };
type Connect = (
  messages: unknown,
  data?: unknown,
  abortSignal?: AbortSignal,
  runContext?: RunContext,
) => AsyncIterable<unknown>;

export function observeConnection<Connection extends WatchableConnection>(
  connection: Connection,
  { name = 'chat' }: ObserveOptions = {},
): Connection {
  if (isWatched(connection)) return connection;
  const sessionOf = createObservations('tanstack-ai', name);

  function beginStream(messages: unknown, { threadId, resume }: RunContext): ObservedStream | null {
    const session = sessionOf(textOf(threadId));
    if (session === null) return null;
    session.runSafely(() => {
      const all = listOf(messages);
      const decisions = listOf(resume).flatMap((entry) => decisionsOf(entry, session.interrupts));
      // Newer versions tell a decision twice: as the answer to an interrupt, and in the message.
      const decided = new Set(decisions.map(({ callId }) => callId));
      const answers = all
        .flatMap(answersOf)
        .filter(({ type, callId }) => type !== 'approval' || !decided.has(callId));
      session.begin(all.flatMap(messageOf), [...decisions, ...answers]);
    });
    return eventStream(session);
  }

  async function* connect(
    ...[messages, data, abortSignal, runContext = {}]: Parameters<Connect>
  ): AsyncGenerator<unknown> {
    const stream = beginStream(messages, runContext);
    try {
      const source = (connection.connect as Connect)(messages, data, abortSignal, runContext);
      for await (const chunk of source) {
        stream?.take(chunk);
        yield chunk;
      }
      stream?.end(abortSignal?.aborted === true ? { stopped: bridgeTexts.stopped } : {});
    } catch (thrown) {
      stream?.end(endOf(thrown, abortSignal));
      throw thrown;
    } finally {
      // Does nothing when the stream has ended.
      stream?.end({ stopped: bridgeTexts.left });
    }
  }

  return asWatched(
    new Proxy(connection, {
      get(target, key) {
        if (key === 'connect') return connect;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }),
  );
}

function messageOf({ id, role, parts, content }: Foreign): readonly ForeignMessage[] {
  const ours = roleOf(role);
  if (ours === null) return [];
  const texts = typeof content === 'string' ? [{ type: 'text', content }] : listOf(parts);
  return [{ id: String(id), role: ours, parts: texts.flatMap(partOf) }];
}

function partOf({ type, content }: Foreign): readonly MessagePart[] {
  const text = textOf(content);
  if (text === null) return [];
  if (type === 'text') return [{ type, text }];
  return type === 'thinking' ? [{ type: 'reasoning', text }] : [];
}

/** The decisions of a person, and the results of tools that the page ran. */
function answersOf({ parts }: Foreign): readonly ForeignAnswer[] {
  return listOf(parts).flatMap((part): readonly ForeignAnswer[] => {
    const { type, approval, output, content, error, toolCallId, id, state } = part;
    const callId = textOf(type === 'tool-call' ? id : toolCallId);
    if (callId === null) return [];
    if (type === 'tool-result') {
      const message =
        textOf(error) ?? (state === 'error' || state === 'output-error' ? failureIn(content) : null);
      if (message !== null) return [{ callId, type: 'error', message }];
      return [
        { callId, type: 'output', output: typeof content === 'string' ? parsedJson(content) : content },
      ];
    }
    const { approved } = foreign(approval);
    const decision: readonly ForeignAnswer[] =
      typeof approved === 'boolean'
        ? [{ callId, type: 'approval', isApproved: approved, comment: null }]
        : [];
    return output === undefined ? decision : [...decision, { callId, type: 'output', output }];
  });
}
