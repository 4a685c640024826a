import { textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
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
import { eventStream } from './event-stream.ts';
import { readInput } from './run-input.ts';
import { idsIn } from '../snapshot-messages.ts';

type SubscriberParams = {
  readonly event?: unknown;
  readonly error?: unknown;
  readonly state?: unknown;
  readonly messages?: unknown;
  /** The same object through a whole run. */
  readonly input?: { readonly threadId?: unknown; readonly resume?: unknown };
};

/** An agent of `@ag-ui/client`, as far as it is watched. */
export type WatchableAgent = {
  readonly agentId?: string | undefined;
  readonly threadId: string;
  subscribe: (subscriber: never) => unknown;
};

type Run = { readonly session: ObservedSession; readonly stream: ObservedStream };

export function observeAgUi<Agent extends WatchableAgent>(
  agent: Agent,
  { name = agent.agentId ?? 'agent' }: ObserveOptions = {},
): Agent {
  if (isWatched(agent)) return agent;
  const sessionOf = createObservations('ag-ui', name);
  // Clones of an agent, which have its subscribers, run at the same time.
  const runs = new WeakMap<object, Run>();
  const runOf = ({ input }: SubscriberParams): Run | undefined => runs.get(input ?? agent);
  const end = (params: SubscriberParams, how: StreamEnd): void => runOf(params)?.stream.end(how);
  const subscriber = {
    onRunInitialized({ input, messages }: SubscriberParams): void {
      const session = sessionOf(textOf(input?.threadId) ?? agent.threadId);
      if (session === null) return;
      session.runSafely(() => {
        const read = readInput({ messages, resume: input?.resume }, session.interrupts);
        session.begin(read.messages, read.answers);
      });
      runs.set(input ?? agent, { session, stream: eventStream(session, idsIn(messages)) });
    },
    onEvent: (params: SubscriberParams): void => runOf(params)?.stream.take(params.event),
    onStateChanged(params: SubscriberParams): void {
      const session = runOf(params)?.session;
      session?.runSafely(() => session.setMetadata('state', params.state));
    },
    onRunFailed: (params: SubscriberParams): void => end(params, endOf(params.error, undefined)),
    onRunFinalized: (params: SubscriberParams): void => end(params, {}),
  };
  agent.subscribe(subscriber as never);
  return asWatched(agent);
}
