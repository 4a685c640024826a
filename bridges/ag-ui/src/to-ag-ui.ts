import { modelJson, readJson } from '@vitrine/core/internal/kit/json';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import type { AgentSession } from '@vitrine/core/internal/session/agent-session';
import { type SessionSource, findSession } from '@vitrine/core/internal/session/session-source';
import { type ClientOffer, readOffer } from './client-offer.ts';
import { threadIn } from './named-run.ts';
import { runInputOf } from './run-plan.ts';
import { SessionRuns } from './session-runs.ts';
import { placeIn } from './shared-run.ts';

/** Options of `toAgUi`. */
export type ToAgUiOptions = {
  /** Milliseconds after which a run stops that no client reads any more; `Infinity` lets it go on. Default: 5,000. */
  readonly graceMs?: number;
};

/** A handler of requests: for a server, and as the `fetch` of an `HttpAgent` in the same page. */
export type AgUiFetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A session as an AG-UI backend. POST takes a `RunAgentInput`: new messages, an edited one, results of calls, answers to
 * interrupts, the shared state, and the tools and context of the client. It answers with the events of the run, each
 * with an `id:`. A request with `Last-Event-ID` goes on behind that event, also in another process with the same store:
 * it ends what the client has open, tells all messages, and then the events as they come. A POST with nothing new joins
 * the run that goes on. A run that no client has read for `graceMs` is stopped; one is stopped at once by a new message,
 * or when its last reader in this page aborts. A session alone has one thread: the first that asks, or the one with its
 * id; others get 403. A function gives the session of each thread, and null for one that the request may not see. Who
 * may call the handler may act in these sessions, so sign people in before it.
 * @example
 * const agent = new HttpAgent({ url: '/agent', fetch: toAgUi(session) });
 */
export function toAgUi(source: SessionSource<Request>, { graceMs = 5_000 }: ToAgUiOptions = {}): AgUiFetch {
  const known = new WeakMap<AgentSession, SessionRuns>();

  function runsOf(session: AgentSession): SessionRuns {
    const runs = known.get(session) ?? new SessionRuns(session, graceMs);
    known.set(session, runs);
    return runs;
  }

  return async (given, init) => {
    // Frameworks pass a request of their own class, which cannot be copied.
    const isOfServer = given instanceof Request && init === undefined;
    const request = isOfServer ? given : new Request(given, init);
    // Over a network an abort looks like a lost connection, and its client may come back.
    const onAbort = (runs: SessionRuns): void => {
      if (!isOfServer) runs.stopLeft();
    };
    try {
      const { runs, body } = await beginRequest(request, async (threadId) =>
        runsOf(await findSession(source, threadId, request, threadIn)),
      );
      return answer(untilAborted(body, request.signal, () => onAbort(runs)));
    } catch (error) {
      if (error instanceof Problem) return problem(error.status, error.message);
      if (isAgentError(error) && error.code === 'session-not-found') return problem(403, error.message);
      throw error;
    }
  };
}

/** A request that is refused. */
class Problem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Does what a request means, with the runs of its thread. @throws Problem when it is refused */
async function beginRequest(
  request: Request,
  runsOf: (threadId: string) => Promise<SessionRuns>,
): Promise<{ readonly runs: SessionRuns; readonly body: ReadableStream<Uint8Array> }> {
  const id = request.headers.get('last-event-id');
  if (id !== null) {
    const place = placeIn(id);
    const runs = place === null ? null : await runsOf(place.threadId);
    const body = place === null || runs === null ? null : await runs.join(place.key, place.open);
    if (runs !== null && body !== null) return { runs, body };
    throw new Problem(410, 'The run of this Last-Event-ID is not known here. Send the run again without it.');
  }
  if (request.method !== 'POST') throw new Problem(405, 'Send a RunAgentInput by POST.');
  const text = await boundedText(request);
  if (text === null) throw new Problem(413, `The body has more than ${modelJson.length} bytes.`);
  const json = readJson(text, modelJson);
  const input = json.ok ? runInputOf(json.value) : null;
  if (input === null)
    throw new Problem(400, 'The body is no RunAgentInput: it needs threadId, runId and messages.');
  const runs = await runsOf(input.ids.threadId);
  const offer = readOffer(input.given, runs.agent);
  if (typeof offer === 'string') throw new Problem(400, offer);
  if (runs.isServed && offer.tools.length + offer.context.length > 0)
    throw new Problem(400, notOffered(offer));
  return { runs, body: await runs.begin(input, offer) };
}

function notOffered({ tools: [tool] }: ClientOffer): string {
  return tool === undefined
    ? 'This agent runs on a server, which takes no `context` of a client. Say it in the message.'
    : `This agent runs on a server and has no tool ${JSON.stringify(tool.name)}. Define it there without \`execute\`, and the client answers its calls.`;
}

function answer(body: ReadableStream<Uint8Array>): Response {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(body, { headers });
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
function untilAborted(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onAbort: () => void,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body.pipeTo(writable, { signal }).catch(() => signal.aborted && onAbort());
  return readable;
}

function problem(status: number, title: string): Response {
  const headers = { 'content-type': 'application/problem+json' };
  return new Response(JSON.stringify({ status, title }), { status, headers });
}
