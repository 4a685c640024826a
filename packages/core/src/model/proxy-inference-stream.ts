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
import { type ProxyEvent, type ProxyEvents, proxyInferenceEvents } from './proxy-inference-events.ts';
import type { ProxyInferenceOptions } from './proxy-inference-options.ts';
import { cacheOf } from './cache-borders.ts';
import { requestBody } from './request-body.ts';
import { longestTimerMs, sleep } from '../kit/async.ts';
import { uuidV7 } from '../kit/ids.ts';
import type { Message } from '../graph/message.ts';
import { memoizeGrowing } from '../kit/memoize.ts';
import { isHidden } from './read-ahead.ts';

export { listedModels } from './proxy-inference-call.ts';

class Progress {
  /** Null until the proxy has sent it, or when the server cannot resume streams. */
  id: string | null = null;
  /** The ids of the first and the last received event. */
  first: string | null = null;
  last: string | null = null;
  /** True after the stream was resumed. */
  isResumed = false;
  /** Number of connections in a row that broke before any event, in a page that was seen and online. */
  failures = 0;
  /** The same for a page that was hidden or offline. */
  failuresAway = 0;
  unknown = 0;
  /** The time of the last bytes, pings included, and the longest time without any, in milliseconds. */
  receivedAt = Date.now();
  longestSilence = 0;
  isOver = false;
  /** True when it ended here because of an invalid event, while the server may continue. */
  isBroken = false;
}

/**
 * Streams one call of the proxy over as many connections as needed; after a cut it resumes after the last event. The
 * stream ends with one `finish` or `error`, and rejects only with the reason of an abort. An abort, or leaving early,
 * also ends the stream on the server. It is a single generator, because every event waits for each one.
 */
export async function* proxyInferenceStream(
  options: ProxyInferenceOptions,
  request: InferenceRequest,
  { signal, inferenceId, agentId }: InferenceCall,
): AsyncGenerator<InferenceEvent> {
  const tooLarge = filesTooLarge(request, options);
  if (tooLarge !== null) return yield tooLarge;
  const deadlines = createDeadlines(signal, options.timeouts);
  const progress = new Progress();
  const cache = request.cache ?? cacheOf(request, agentId);
  const body = requestBody({ ...request, ...(cache && { cache }) }, options.model ?? null);
  const key = inferenceId ?? uuidV7();
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
          const now = Date.now();
          progress.longestSilence = Math.max(progress.longestSilence, now - progress.receivedAt);
          progress.receivedAt = now;
          for (const item of next) {
            deadlines.hasBegun();
            const event = noteEvent(item, events, progress, options);
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

/** The next events, null at the end of the connection, or the reason for its loss. Rejects when the time is over. */
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

/** Records the progress of an event and returns its content; null for a type that this version does not know. */
function noteEvent(
  { id, event, unknownType }: ProxyEvent,
  { first }: ProxyEvents,
  progress: Progress,
  { onUnknownEvent }: ProxyInferenceOptions,
): InferenceEvent | null {
  if (progress.isResumed && first() !== null && first() === progress.first) {
    progress.isOver = progress.isBroken = true;
    return incomplete(
      'the server restarted it instead of resuming; check that no proxy in between drops the header Last-Event-ID',
    );
  }
  progress.failures = progress.failuresAway = 0;
  progress.first ??= first();
  progress.last = id ?? progress.last;
  progress.isOver = event?.type === 'finish' || event?.type === 'error';
  progress.isBroken = event?.type === 'error' && event.code === 'stream-malformed';
  if (event === null) {
    try {
      onUnknownEvent?.(unknownType, ++progress.unknown);
    } catch {
      // A failing listener for skipped events must not fail the answer.
    }
  }
  return event;
}

/** The next connection after a pause, or the reason why there is none. */
async function again(
  options: ProxyInferenceOptions,
  progress: Progress,
  why: string,
  waitMs: number | null,
  { signal, idleMs }: Deadlines,
): Promise<ProxyAnswer> {
  const { reconnect = { attempts: 5 } } = options;
  const { id, last } = progress;
  progress.isResumed = last !== null;
  const isUsedUp = reconnect === false || (progress.failures >= reconnect.attempts && !isAway());
  if (id === null || isUsedUp) return { failed: incomplete(why) };
  await reconnectPause(isAway() ? progress.failuresAway++ : progress.failures++, waitMs, signal);
  const answer = await resumeStream(options, { id, last, signal });
  if (!('failed' in answer) || answer.failed.code !== 'stream-incomplete') return answer;
  const silence = Math.max(progress.longestSilence, Date.now() - progress.receivedAt);
  // A page that runs replaces a silent connection before.
  const wasUnread = silence > idleMs + awayMs;
  return wasUnread ? { failed: { ...answer.failed, wasUnread } } : answer;
}

/** The time beyond that of a silent connection after which the page was away, in milliseconds. */
const awayMs = 30_000;
/** The delay of a timer after which the page was frozen, in milliseconds. */
const frozenMs = 5000;

/** The time limits of a call, as a signal for its requests. */
type Deadlines = ReturnType<typeof createDeadlines>;

/** Starts the time limits. Infinity is no limit. */
function createDeadlines(caller: AbortSignal, timeouts: ProxyInferenceOptions['timeouts'] = {}) {
  const { firstEventMs = 120_000, idleMs = 60_000, totalMs = 900_000 } = timeouts;
  const controller = new AbortController();
  /** Ends the call after a time. One that passed while the page was away says nothing of the model, so it begins anew. */
  function expire(what: string, ms: number): () => void {
    const dueAt = Date.now() + ms;
    let cancel = (): void => clearTimeout(timer);
    const timer = setTimeout(
      () => {
        if (isAway() || Date.now() - dueAt > frozenMs) cancel = expire(what, ms);
        else controller.abort(new Error(`The model ${what} within ${ms / 1000} s.`));
      },
      Math.min(ms, longestTimerMs),
    );
    return () => cancel();
  }
  const cancelFirst = expire('did not begin to answer', firstEventMs);
  const cancelTotal = expire('did not finish its answer', totalMs);
  const onAbort = (): void => controller.abort(caller.reason);
  let isWaiting = true;
  if (caller.aborted) onAbort();
  caller.addEventListener('abort', onAbort, { once: true });
  return {
    /** Aborted with the caller's signal, or with an Error that names the exceeded limit. */
    signal: controller.signal,
    idleMs: Math.min(idleMs, longestTimerMs),
    /** Reports the first event, which ends its time limit. */
    hasBegun(): void {
      // Called with every event, so the timer is cleared once.
      if (isWaiting) cancelFirst();
      isWaiting = false;
    },
    release(): void {
      cancelFirst();
      cancelTotal();
      caller.removeEventListener('abort', onAbort);
    },
  };
}

/** Returns the error event of a request whose files exceed the proxy's limit; null for a request that may be sent. */
export function filesTooLarge(
  { messages }: InferenceRequest,
  { imageBytes }: { readonly imageBytes?: number },
): InferenceEvent | null {
  if (imageBytes === undefined) return null;
  const size = Math.floor((base64Length(messages) / 4) * 3);
  if (size <= imageBytes) return null;
  const message = `The files of the conversation take ${size} bytes; the proxy takes ${imageBytes} in one request. Send smaller files, or start a new conversation.`;
  return failure('files-too-large', message, false);
}

/** Characters of all files in the messages. It runs in every step, so only new messages are examined. */
const base64Length = memoizeGrowing<Message, number>((before, messages, from) => {
  let characters = before ?? 0;
  for (const { parts } of messages.slice(from))
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return characters;
});

const firstMs = 250;
const longestMs = 8000;
/** Longest `retry-after` that is respected. */
const longestWaitMs = 60_000;
/** The events of a window after which a connection may succeed. */
const returns = ['online', 'visibilitychange'] as const;

/** True while the page is hidden or offline, as on a locked phone: that its connections fail says nothing of the server. */
export function isAway(): boolean {
  return isHidden() || globalThis.navigator?.onLine === false;
}

/**
 * Waits before the next connection: about twice as long after every failure, up to 8 s, and at least as long as the
 * server asked for. The wait ends early when the page is seen or online again. Rejects with the signal's reason.
 */
export async function reconnectPause(
  failures: number,
  waitMs: number | null,
  signal: AbortSignal,
): Promise<void> {
  const most = Math.min(longestMs, firstMs * 2 ** failures);
  // Half of the delay is random, so that many clients do not return at once.
  const ms = Math.max(most * (0.5 + Math.random() / 2), Math.min(waitMs ?? 0, longestWaitMs));
  await sleep(ms, signal, (delay, wake) => {
    const go = (): void => {
      cancel();
      wake();
    };
    const timer = setTimeout(go, delay);
    const onReturn = (): void => (isHidden() ? undefined : go());
    const cancel = (): void => {
      clearTimeout(timer);
      for (const type of returns) globalThis.removeEventListener?.(type, onReturn);
    };
    if (waitMs === null) for (const type of returns) globalThis.addEventListener?.(type, onReturn);
    return cancel;
  });
}
