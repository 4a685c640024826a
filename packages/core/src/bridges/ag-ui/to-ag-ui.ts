import { modelJson, readJson } from '../../kit/json.ts';
import type { AgentSession } from '../../session/agent-session.ts';
import { readOffer } from './client-offer.ts';
import { runInputOf } from './run-plan.ts';
import { SessionRuns } from './session-runs.ts';

/** Options of `toAgUi`. */
export type ToAgUiOptions = {
  /** Milliseconds after which a run stops that no client reads any more. Default: 5,000. */
  readonly graceMs?: number;
};

/** A handler of requests: for a server, and as the `fetch` of an `HttpAgent` in the same page. */
export type AgUiFetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A session as an AG-UI backend. POST takes a `RunAgentInput`: new messages, an edited one, results of calls, answers to
 * interrupts, the shared state, and the tools and context of the client. It answers with the events of the run, each
 * with an `id:`. A request with `Last-Event-ID` goes on behind that event, also in another process with the same store:
 * it ends what the client has open, tells all messages, and then the events as they come. A POST with nothing new joins
 * the run that goes on. A run that no client has read for `graceMs` is stopped, and at once by a new message. Who may
 * call the handler may act in the session, so sign people in before it.
 * @example
 * const agent = new HttpAgent({ url: '/agent', fetch: toAgUi(session) });
 */
export function toAgUi(session: AgentSession, { graceMs = 5_000 }: ToAgUiOptions = {}): AgUiFetch {
  const runs = new SessionRuns(session, graceMs);
  return async (given, init) => {
    // Frameworks pass a request of their own class, which cannot be copied.
    const request = given instanceof Request && init === undefined ? given : new Request(given, init);
    const { headers, method, signal } = request;
    const id = headers.get('last-event-id');
    if (id !== null) return answer(await runs.goOn(id), signal);
    if (method !== 'POST') return problem(405, 'Send a RunAgentInput by POST.');
    const text = await boundedText(request);
    if (text === null) return problem(413, `The body has more than ${modelJson.length} bytes.`);
    const json = readJson(text, modelJson);
    const input = json.ok ? runInputOf(json.value) : null;
    if (input === null)
      return problem(400, 'The body is no RunAgentInput: it needs threadId, runId and messages.');
    const offer = readOffer(input.given, session.settings().agent);
    if (typeof offer === 'string') return problem(400, offer);
    return answer(await runs.begin(input, offer), signal);
  };
}

function answer(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Response {
  return body === null
    ? problem(410, 'The run of this Last-Event-ID is not known here. Send the run again without it.')
    : new Response(untilAborted(body, signal), {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      });
}

/** The text of a body; null when it is too long. */
async function boundedText({ body }: Request): Promise<string | null> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > modelJson.length) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** A stream that ends when a request is aborted, which a handler in the page would not notice else. */
function untilAborted(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body.pipeTo(writable, { signal }).catch(() => undefined);
  return readable;
}

function problem(status: number, title: string): Response {
  const headers = { 'content-type': 'application/problem+json' };
  return new Response(JSON.stringify({ status, title }), { status, headers });
}
