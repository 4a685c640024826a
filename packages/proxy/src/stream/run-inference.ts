import type { InferenceClient, InferenceEvent, InferenceRequest, ModelPrice, Usage } from '@vitrine/core';
import { causeOf } from '../kit/cause-of.ts';
import { watchAttendance } from './attendance.ts';
import { createRoom, readUpstream } from './read-upstream.ts';
import { countStream, type StreamReport } from './stream-report.ts';
import { type ErrorEvent, streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import { within } from '../kit/time.ts';

/** The data of an inference, whose stream has been created in the log. */
type InferenceInit = {
  readonly log: StreamLog;
  readonly id: string;
  readonly ownerId: string | null;
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  /** The most usage, for the report of a call whose usage stays unknown. */
  readonly expected: Usage;
  /** The price of the model's tokens; null when it is unknown. */
  readonly price: ModelPrice | null;
  readonly limits: StreamLimits;
  /** Receives the size of every event. */
  readonly onGrow: (bytes: number) => void;
  /** Returns the number of readers in this process, whose progress is known. */
  readonly readersHere: () => number;
  /** Receives the report once, when the stream and its upstream have ended. */
  readonly onEnd: (report: StreamReport) => void;
};

/** A running inference. */
export type InferenceRun = {
  /** Marks the entries up to this index as taken by a reader in this process. */
  readonly took: (index: number) => void;
  /** Ends the inference, with this as its last event. */
  readonly stop: (reason: ErrorEvent) => void;
};

/**
 * One error for all streams: an abort without a reason creates an error with its stack each time, also when it was
 * aborted before.
 */
const ended = new DOMException('The stream has ended.', 'AbortError');

/** The most characters ahead of the foremost reader before the upstream must wait. */
const maxAhead = 1024 * 1024;

/**
 * Asks the model and writes its events into the log, as the only writer of the stream. Whatever happens to upstream,
 * readers or log, the upstream is ended, the stream has one last event, and `onEnd` is called once.
 */
export function runInference(init: InferenceInit): InferenceRun {
  const { log, id, limits, readersHere } = init;
  const upstream = new AbortController();
  const room = createRoom(maxAhead);
  const count = countStream(init);
  let stopped: ErrorEvent | null = null;
  let thrown: unknown = null;

  /** Ends the upstream at once; the first reason counts. */
  function stop(reason: ErrorEvent): void {
    stopped ??= reason;
    upstream.abort(ended);
    room.open();
  }

  /** Handles errors. An error after the stop only results from stopping. */
  function onError(error: unknown): void {
    if (stopped === null) thrown = error;
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

  /** Writes an event. Returns the event that ends the stream, or null when more may follow. */
  function take(event: InferenceEvent): InferenceEvent | null {
    const data = toJson(event);
    if (data === null) return streamErrors.unwritable;
    if (data.length > limits.frameBytes) return streamErrors.frameTooLarge(limits.frameBytes);
    if (count.characters() + data.length > limits.streamBytes)
      return streamErrors.tooLong(limits.streamBytes);
    count.note(event, data.length);
    init.onGrow(data.length);
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
    // The end that is written below looks to the watch like one of somebody else.
    const failure = stopped === null ? thrown : null;
    // This also ends an upstream that has sent its last event but does not close.
    upstream.abort(ended);
    clearTimeout(deadline);
    const written = await within(limits.leaseMs, writer.end(JSON.stringify(count.withCost(last))), 'lost');
    unwatch();
    const ending = endingOf(last, written);
    const outcome = outcomeOf(ending);
    const code = ending.type === 'error' ? ending.code : null;
    const cause = outcome === 'failed' && thrown !== null ? causeOf(thrown) : null;
    init.onEnd(count.report({ outcome, code, cause, thrown: failure }));
  }

  void run();
  return { took: room.take, stop };
}

/** Readers of an answer without a stored end do not have all of it. */
function endingOf(last: InferenceEvent, written: WrittenEnd): InferenceEvent {
  if (written === 'written' || last.type !== 'finish') return last;
  return written === 'ended' ? streamErrors.cancelled : streamErrors.logFailed;
}

function outcomeOf(last: InferenceEvent): StreamReport['outcome'] {
  if (last.type === 'finish') return 'completed';
  return last === streamErrors.cancelled || last === streamErrors.unread ? 'cancelled' : 'failed';
}

/** The event as JSON; null when it is nested too deeply. */
function toJson(event: InferenceEvent): string | null {
  try {
    return JSON.stringify(event);
  } catch {
    return null;
  }
}

/**
 * Writes the entries of one stream. Entries of one tick, and those that arrive during a write, are written together.
 */
type EntryWriter = {
  readonly push: (data: string) => void;
  /** Writes the pending entries and the last one. Rejects when the log cannot be reached. */
  readonly end: (data: string) => Promise<WrittenEnd>;
};

/** The fate of the last entry: it is written, somebody else had ended the stream, or the log could not be reached. */
type WrittenEnd = 'written' | 'ended' | 'lost';

/** Waits one tick of the event loop, in which a chunk of the upstream becomes many events. */
const nextTick: (run: () => void) => unknown =
  (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run) => setTimeout(run, 0));

/** @param onRefused Called once, when the stream has ended elsewhere or is gone, or its log cannot be reached (`lost`). */
function createEntryWriter(
  log: StreamLog,
  id: string,
  onRefused: (why: Exclude<WrittenEnd, 'written'>) => void,
): EntryWriter {
  const waiting: string[] = [];
  let isWriting = false;
  let refused: Exclude<WrittenEnd, 'written'> | null = null;
  let onIdle: () => void = () => undefined;

  async function write(): Promise<void> {
    try {
      while (refused === null && waiting.length > 0)
        if (!(await log.append(id, waiting.splice(0)))) refuse('ended');
    } catch {
      refuse('lost');
    }
    isWriting = false;
    onIdle();
  }

  function refuse(why: Exclude<WrittenEnd, 'written'>): void {
    refused = why;
    onRefused(why);
  }

  return {
    push(data) {
      if (refused !== null) return;
      waiting.push(data);
      if (isWriting) return;
      isWriting = true;
      nextTick(() => void write());
    },
    async end(data) {
      if (isWriting) await new Promise<void>((resolve) => (onIdle = resolve));
      if (refused !== null) return refused;
      const isWritten = await log.append(id, [...waiting.splice(0), data], { ends: true });
      return isWritten ? 'written' : 'ended';
    },
  };
}
