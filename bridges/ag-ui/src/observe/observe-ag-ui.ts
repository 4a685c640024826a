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
import { interruptsOf, readInput } from './run-input.ts';

/** The parameters of a subscriber of an agent, as far as they are read. */
type Told = {
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
  const runOf = ({ input }: Told): Run | undefined => runs.get(input ?? agent);
  const end = (told: Told, how: StreamEnd): void => runOf(told)?.stream.end(how);
  const subscriber = {
    onRunInitialized({ input, messages }: Told): void {
      const session = sessionOf(textOf(input?.threadId) ?? agent.threadId);
      if (session === null) return;
      const interrupts = interruptsOf(session);
      session.guarded(() => {
        const read = readInput({ messages, resume: input?.resume }, interrupts);
        session.begin(read.messages, read.answers);
      });
      runs.set(input ?? agent, { session, stream: eventStream(session, interrupts) });
    },
    onEvent: (told: Told): void => runOf(told)?.stream.take(told.event),
    onStateChanged(told: Told): void {
      const session = runOf(told)?.session;
      session?.guarded(() => session.setMetadata('state', told.state));
    },
    onRunFailed: (told: Told): void => end(told, endOf(told.error, undefined)),
    onRunFinalized: (told: Told): void => end(told, {}),
  };
  agent.subscribe(subscriber as never);
  return asWatched(agent);
}
