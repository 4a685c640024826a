import { filesTooLarge } from './files-too-large.ts';
import type { InferenceCall, InferenceEvent, InferenceRequest } from './inference-client.ts';
import {
  beginStream,
  failure,
  giveUpStream,
  incomplete,
  messageOf,
  type ProxyAnswer,
  resumeStream,
} from './proxy-inference-call.ts';
import { createDeadlines, type Deadlines } from './proxy-inference-deadlines.ts';
import { type ProxyEvent, type ProxyEvents, proxyInferenceEvents } from './proxy-inference-events.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { reconnectPause } from './proxy-inference-pause.ts';
import { requestBody } from './request-body.ts';

/** What is known of the stream while connections come and go. */
type Progress = {
  /** Null until the proxy has named it, or when it is a server that cannot go on with streams. */
  id: string | null;
  /** The ids of the first event of all, and of the last that came. */
  first: string | null;
  last: string | null;
  /** It was gone on with, behind the last. */
  isResumed: boolean;
  /** Connections in a row that broke before they brought anything. */
  failures: number;
  unknown: number;
  isOver: boolean;
  /** It is over here because of what came instead of the next event, while the server may go on. */
  isBroken: boolean;
};

/**
 * One call of the proxy, over as many connections as it takes: after a cut it goes on behind the last event that came.
 * Ends with one `finish` or `error`; rejects only with the reason of an abort. Whoever aborts it, or stops reading
 * early, ends the stream on the server too. One generator for all of it, because every event waits for each.
 */
export async function* proxyInferenceStream(
  options: ProxyInferenceOptions,
  request: InferenceRequest,
  { signal, inferenceId }: InferenceCall,
): AsyncGenerator<InferenceEvent> {
  const tooLarge = filesTooLarge(request, options);
  if (tooLarge !== null) return yield tooLarge;
  const deadlines = createDeadlines(signal, options.timeouts);
  const progress: Progress = {
    id: null,
    first: null,
    last: null,
    isResumed: false,
    failures: 0,
    unknown: 0,
    isOver: false,
    isBroken: false,
  };
  const body = requestBody(request, options.model ?? null);
  const key = inferenceId ?? crypto.randomUUID();
  let events: ProxyEvents | null = null;
  try {
    let answer = await beginStream(options, { body, key, signal: deadlines.signal });
    for (;;) {
      if ('failed' in answer) {
        progress.isOver = true;
        return yield answer.failed;
      }
      let why = 'the stream ended without saying that it was finished';
      if ('body' in answer) {
        progress.id = answer.id;
        events = proxyInferenceEvents(answer.body, deadlines.idleMs);
        for (;;) {
          const next = await nextEvents(events, deadlines);
          if (typeof next === 'string') why = next;
          if (next === null || typeof next === 'string') break;
          for (const item of next) {
            deadlines.hasBegun();
            const event = noted(item, events, progress, options);
            if (event === null) continue;
            yield event;
            if (progress.isOver) return;
          }
        }
        events.close(false);
      } else why = answer.broken;
      answer = await again(options, progress, why, 'waitMs' in answer ? answer.waitMs : null, deadlines);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!deadlines.signal.aborted) throw error;
    yield failure('upstream-timeout', messageOf(deadlines.signal.reason), true);
  } finally {
    deadlines.release();
    const isComplete = progress.isOver && !progress.isBroken;
    events?.close(isComplete);
    if (!isComplete && progress.id !== null) giveUpStream(options, progress.id);
  }
}

/** The next events, null at the end of the connection, or why it was lost. Rejects when the time is over. */
async function nextEvents(
  events: ProxyEvents,
  { signal }: Deadlines,
): Promise<readonly ProxyEvent[] | string | null> {
  try {
    return await events.next();
  } catch (error) {
    signal.throwIfAborted();
    return `the connection was lost (${messageOf(error)})`;
  }
}

/** What an event says, after it is noted how far the answer has come; null for one that this version does not know. */
function noted(
  { id, event, unknownType }: ProxyEvent,
  { first }: ProxyEvents,
  progress: Progress,
  { onUnknownEvent }: ProxyInferenceOptions,
): InferenceEvent | null {
  if (progress.isResumed && first() !== null && first() === progress.first) {
    progress.isOver = progress.isBroken = true;
    return incomplete(
      'the server began it anew instead of going on; see that nothing in between drops the header Last-Event-ID',
    );
  }
  progress.failures = 0;
  progress.first ??= first();
  progress.last = id ?? progress.last;
  progress.isOver = event?.type === 'finish' || event?.type === 'error';
  progress.isBroken = event?.type === 'error' && event.code === 'stream-malformed';
  if (event === null) {
    try {
      onUnknownEvent?.(unknownType, ++progress.unknown);
    } catch {
      // An answer does not fail because somebody cannot be told of what it left out.
    }
  }
  return event;
}

/** The next connection after a pause, or why there is none. */
async function again(
  options: ProxyInferenceOptions,
  progress: Progress,
  why: string,
  waitMs: number | null,
  { signal }: Deadlines,
): Promise<ProxyAnswer> {
  const { reconnect = { attempts: 5 } } = options;
  const { id, last } = progress;
  progress.isResumed = last !== null;
  if (id === null || reconnect === false || progress.failures >= reconnect.attempts)
    return { failed: incomplete(why) };
  await reconnectPause(progress.failures++, waitMs, signal);
  return resumeStream(options, { id, last, signal });
}
