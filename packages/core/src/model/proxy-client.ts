import { createParser } from 'eventsource-parser';
import type { InferenceEvent, InferenceRequest } from './inference-client.ts';
import { isInferenceEvent } from './is-inference-event.ts';
import { requestBody } from './request-body.ts';
import { retryAfterMs } from './retry-after.ts';

type HeaderRecord = Readonly<Record<string, string>>;

/** Where the proxy is, and what is sent along. */
export type ProxyInferenceOptions = {
  /** Where the proxy is mounted, e.g. `/api`. */
  url: string;
  /** Used when a request names no model. Default: the proxy's default model. */
  model?: string;
  /** Sent with every request; a function is asked each time. */
  headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /**
   * The most bytes of files, before base64, that the proxy takes in one request (its `imageBytes`): a larger request
   * fails before it is sent. Default: not known, and the proxy says it.
   */
  imageBytes?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
};

/** The most that a single event may take, so that a broken server cannot fill the memory. */
const maxEventLength = 8 * 1024 * 1024;

/**
 * Asks the proxy for an answer and reads it; `proxyInference` loads this when a model is first called. One generator for
 * all of it: every one more that an event goes through takes as long as reading it.
 */
export async function* streamFromProxy(
  options: ProxyInferenceOptions,
  request: InferenceRequest,
  signal: AbortSignal,
): AsyncGenerator<InferenceEvent> {
  const size = fileBytes(request);
  const { imageBytes = Infinity } = options;
  if (size > imageBytes) return yield filesTooLarge(size, imageBytes);
  const { response, failed } = await send(options, request, signal);
  if (response === null) return yield failed;
  if (!response.ok || !response.body) return yield await problemEvent(response);
  const reader = response.body.getReader();
  const parse = createEventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const event of done ? [] : parse(value)) {
        yield event;
        if (event.type === 'finish' || event.type === 'error') return;
      }
      if (done) break;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return yield failure('stream-incomplete', `The connection broke off: ${messageOf(error)}`, true);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  yield failure(
    'stream-incomplete',
    'The answer broke off: the stream ended without saying that it was finished.',
    true,
  );
}

/** The events that are complete with the next bytes. */
function createEventParser(): (bytes: Uint8Array) => readonly InferenceEvent[] {
  let events: InferenceEvent[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => void events.push(parseEvent(data)),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        events.push(failure('stream-malformed', 'The answer holds an event that is too long.', true));
    },
  });
  return (bytes) => {
    events = [];
    parser.feed(decoder.decode(bytes, { stream: true }));
    return events;
  };
}

type Sent =
  | { readonly response: Response; readonly failed: null }
  | { readonly response: null; readonly failed: InferenceEvent };

async function send(
  options: ProxyInferenceOptions,
  request: InferenceRequest,
  signal: AbortSignal,
): Promise<Sent> {
  const { url, model, headers, fetch: send = globalThis.fetch } = options;
  const own = typeof headers === 'function' ? await headers() : headers;
  try {
    const response = await send(`${url.replace(/\/+$/, '')}/v1/inference`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...own },
      body: requestBody(request, model ?? null),
      signal,
    });
    return { response, failed: null };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const message = `The inference proxy at ${url} cannot be reached: ${messageOf(error)}`;
    return { response: null, failed: failure('proxy-unreachable', message, true) };
  }
}

function parseEvent(data: string): InferenceEvent {
  try {
    const event: unknown = JSON.parse(data);
    if (isInferenceEvent(event)) return event;
  } catch {
    // Answered below, like JSON that is not an event.
  }
  return failure(
    'stream-malformed',
    `The proxy sent something that is not an inference event: ${data.slice(0, 80)}`,
    true,
  );
}

/** An answer that is not a stream: problem+json (RFC 9457) of the proxy, or whatever stands in front of it. */
async function problemEvent(response: Response): Promise<InferenceEvent> {
  const text = await response.text().catch(() => '');
  const problem = parseProblem(text);
  const code = problem.code ?? `http-${response.status}`;
  const message =
    problem.detail ?? problem.title ?? `The inference proxy answered with status ${response.status}.`;
  const isTransient = response.status === 408 || response.status === 429 || response.status >= 500;
  return {
    type: 'error',
    code,
    message,
    retryable: problem.retryable ?? isTransient,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
  };
}

type Problem = { code?: string; detail?: string; title?: string; retryable?: boolean };

function parseProblem(text: string): Problem {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Problem) : {};
  } catch {
    return {};
  }
}

/** The bytes of all files that stand in the messages. */
function fileBytes({ messages }: InferenceRequest): number {
  let characters = 0;
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'file') characters += part.data?.length ?? 0;
  return Math.floor((characters / 4) * 3);
}

function filesTooLarge(size: number, limit: number): InferenceEvent {
  const message = `The files of the conversation take ${size} bytes; the proxy takes ${limit} in one request. Send smaller files, or start a new conversation.`;
  return failure('files-too-large', message, false);
}

function failure(code: string, message: string, retryable: boolean): InferenceEvent {
  return { type: 'error', code, message, retryable, retryAfterMs: null };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
