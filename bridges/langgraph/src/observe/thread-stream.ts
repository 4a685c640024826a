import { eventStream } from '@vitrine/ag-ui/internal/observe/event-stream';
import { type Foreign, foreign, listOf, textOf } from '@vitrine/inspect/internal/foreign/foreign-values';
import type { ForeignAnswer } from '@vitrine/inspect/internal/foreign/foreign-history';
import type { ObservedSession } from '@vitrine/inspect/internal/foreign/observed-session';
import type { ObservedStream } from '@vitrine/inspect/internal/foreign/observed-stream';
import { rootLifecycle } from '../run-filter.ts';
import { ThreadEvents } from '../thread-events.ts';
import type { ProtocolEvent } from './in-order.ts';

/** Ids of the messages and calls that a thread has told since the last question. */
export type ThreadMemory = { known: Iterable<string> };

/** True for the event with which the run of a thread ends. */
export function isRunEnd(event: ProtocolEvent): boolean {
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
export function answersIn(
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
