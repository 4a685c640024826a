import type { InferenceClient, InferenceEvent, InferenceRequest, Usage } from '@vitrine/core';
import { causeOf } from '../cause-of.ts';
import { watchAttendance } from './attendance.ts';
import { createEntryWriter, type WrittenEnd } from './entry-writer.ts';
import { readUpstream } from './read-upstream.ts';
import { createRoom } from './room.ts';
import { type ErrorEvent, streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import { countStream, type StreamReport } from './stream-report.ts';
import { within } from './within.ts';

/** What an inference is run with. Its stream has been created in the log. */
export type InferenceInit = {
  readonly log: StreamLog;
  readonly id: string;
  readonly ownerId: string | null;
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  /** What it will probably use at most, for the report of one that breaks off. */
  readonly expected: Usage;
  readonly limits: StreamLimits;
  /** How many read it in this process: their progress is known. */
  readonly readersHere: () => number;
  /** Told once, when the stream and its upstream have ended. */
  readonly onEnd: (report: StreamReport) => void;
};

/** An inference while it runs. */
export type InferenceRun = {
  /** A reader in this process has taken the entries up to this index. */
  readonly took: (index: number) => void;
  /** Ends it, with this as its last event. */
  readonly stop: (reason: ErrorEvent) => void;
};

/** One for all streams: an abort without a reason makes an error with its stack each time, also when it was aborted before. */
const ended = new DOMException('The stream has ended.', 'AbortError');

/** How many characters may be ahead of the foremost reader before the upstream has to wait. */
const maxAhead = 1024 * 1024;

/**
 * Asks the model and writes its events into the log: the one owner of a stream. Whatever happens to upstream, readers or
 * log, the upstream is ended, the stream has one last event, and `onEnd` is told once.
 */
export function runInference(init: InferenceInit): InferenceRun {
  const { log, id, limits, readersHere } = init;
  const upstream = new AbortController();
  const room = createRoom(maxAhead);
  const count = countStream(init);
  let stopped: ErrorEvent | null = null;
  let cause: string | null = null;

  /** Ends the upstream at once; the first reason is the one that counts. */
  function stop(reason: ErrorEvent): void {
    stopped ??= reason;
    upstream.abort(ended);
    room.open();
  }

  /** What is thrown after the stream was stopped is only what stopping it does. */
  function onError(error: unknown): void {
    if (stopped === null) cause = causeOf(error);
  }

  const writer = createEntryWriter(log, id, (why) =>
    stop(why === 'ended' ? streamErrors.cancelled : streamErrors.logFailed),
  );
  const unwatch = watchAttendance(log, id, limits, {
    onReaders: (readers) => room.bound(readers <= readersHere()),
    onUnread: () => stop(streamErrors.unread),
    onEnded: () => stop(streamErrors.cancelled),
    onLost: () => stop(streamErrors.logFailed),
  });
  const deadline = setTimeout(() => stop(streamErrors.late(limits.totalMs)), limits.totalMs);

  /** Writes an event; gives the one that ends the stream, null when more may come. */
  function take(event: InferenceEvent): InferenceEvent | null {
    const data = toJson(event);
    if (data === null) return streamErrors.unwritable;
    if (data.length > limits.frameBytes) return streamErrors.frameTooLarge(limits.frameBytes);
    if (count.characters() + data.length > limits.streamBytes)
      return streamErrors.tooLong(limits.streamBytes);
    count.note(event, data.length);
    if (event.type === 'finish' || event.type === 'error') return event;
    room.add(data.length);
    writer.push(data);
    return null;
  }

  /** @returns the event that ends the stream. */
  async function produce(): Promise<InferenceEvent> {
    const { signal } = upstream;
    try {
      const events = init.client.stream(init.request, { signal, onError });
      const last = await readUpstream(events, { limits, signal, room, take });
      return last ?? stopped ?? streamErrors.incomplete;
    } catch (error) {
      onError(error);
      return stopped ?? streamErrors.callFailed;
    }
  }

  async function run(): Promise<void> {
    const last = await produce();
    // Also ends an upstream that has said its last word but does not close.
    upstream.abort(ended);
    clearTimeout(deadline);
    const written = await within(limits.leaseMs, writer.end(JSON.stringify(last)), 'lost');
    unwatch();
    const ending = endingOf(last, written);
    const outcome = outcomeOf(ending);
    const code = ending.type === 'error' ? ending.code : null;
    init.onEnd(count.report({ outcome, code, cause: outcome === 'failed' ? cause : null }));
  }

  void run();
  return { took: room.take, stop };
}

/** Readers of an answer whose end is not in the log have not got it whole. */
function endingOf(last: InferenceEvent, written: WrittenEnd): InferenceEvent {
  if (written === 'written' || last.type !== 'finish') return last;
  return written === 'ended' ? streamErrors.cancelled : streamErrors.logFailed;
}

function outcomeOf(last: InferenceEvent): StreamReport['outcome'] {
  if (last.type === 'finish') return 'completed';
  return last === streamErrors.cancelled || last === streamErrors.unread ? 'cancelled' : 'failed';
}

/** Null for what is too deep to be written. */
function toJson(event: InferenceEvent): string | null {
  try {
    return JSON.stringify(event);
  } catch {
    return null;
  }
}
