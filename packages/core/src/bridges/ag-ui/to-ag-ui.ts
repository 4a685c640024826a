import { metadata } from '../../graph/agent-state/accessors.ts';
import { withMessages, withMetadata } from '../../graph/agent-state/transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { modelJson, readJson } from '../../kit/json.ts';
import type { AgentEventListener } from '../../run/events.ts';
import type { AgentSession } from '../../session/agent-session.ts';
import { isGoing, turnEnd } from '../turn-end.ts';
import { clientIdKey } from './client-messages.ts';
import { acceptOffers, type ClientOffer, offerKey, readOffer } from './client-offer.ts';
import { RunLog } from './run-log.ts';
import { historyOf, planOf, type RunInput, runInputOf, type RunPlan } from './run-plan.ts';
import { RunWriter, sharedStateKey } from './run-writer.ts';

/** Options of `toAgUi`. */
export type ToAgUiOptions = {
  /** Milliseconds after which a run stops that no client reads any more. Default: 5,000. */
  readonly graceMs?: number;
};

/** A handler of requests: for a server, and as the `fetch` of an `HttpAgent` in the same page. */
export type AgUiFetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;

/** Most runs whose events are kept. */
const mostRuns = 16;

/**
 * A session as an AG-UI backend. POST takes a `RunAgentInput`: new messages, an edited one, results of calls, answers to
 * interrupts, the shared state, and the tools and context of the client. It answers with the events of the run, each
 * with an `id:`. A request with `Last-Event-ID` goes on behind that event, and a POST with nothing new joins the run
 * that goes on. A run that no client has read for `graceMs` is stopped, and at once by a new message. Who may call the
 * handler may act in the session, so sign people in before it.
 * @example
 * const agent = new HttpAgent({ url: '/agent', fetch: toAgUi(session) });
 */
export function toAgUi(session: AgentSession, { graceMs = 5_000 }: ToAgUiOptions = {}): AgUiFetch {
  acceptOffers(session);
  /** `hasBegun` is false while the messages of a run wait for the end of another turn. */
  const runs: { readonly log: RunLog; readonly plan: RunPlan; hasBegun: boolean }[] = [];

  /** The plans that were begun here and that all clients have left; none while somebody reads the run that goes on. */
  function leftPlans(): readonly RunPlan[] {
    const open = runs.filter(({ log }) => !log.isOver);
    if (open.some(({ log, hasBegun }) => hasBegun && !log.isLeft)) return [];
    return open.flatMap(({ log, plan }) => (log.isLeft && plan.begin !== null ? [plan] : []));
  }

  /** Stops what was begun here when nobody has read it for a while. */
  function onEmpty(): void {
    setTimeout(() => {
      const plans = leftPlans();
      if (plans.length === 0) return;
      const sent = new Set<unknown>(plans.flatMap((plan) => plan.sent));
      const queued = session.store
        .getState()
        .queue.filter(({ metadata = {} }) => sent.has(metadata[clientIdKey]));
      for (const { id } of queued) session.cancelQueued(id);
      if (queued.length < sent.size || sent.size === 0) void session.stop('The client of the run has left.');
    }, graceMs);
  }

  async function begin(input: RunInput, offer: ClientOffer): Promise<RunLog> {
    await session.ready;
    // The application may have given the session another agent.
    acceptOffers(session);
    let { state } = session.store.getState();
    let write: AgentEventListener = () => undefined;
    // From the start, so that nothing is missed between the plan and its first event.
    const leave = session.onEvent((event, after) => {
      state = after;
      write(event, after);
    });
    // A session that cannot be changed refuses the commands of the run too, and they tell the reason.
    await session.update((now) => (state = withInput(now, input, offer))).catch(() => undefined);
    const plan = planOf(session, state, input, leftPlans().length > 0);
    const log = new RunLog(onEmpty);
    const hasBegun = plan.sent.length === 0 || plan.isAnswer || !isGoing(session.store.getState());
    const run = { log, plan, hasBegun };
    runs.push(run);
    if (runs.length > mostRuns) runs.shift();
    const writer = new RunWriter((event) => log.add(event), input.ids, plan.results);
    writer.begin(state, plan.snapshot);
    write = (event, after) => {
      run.hasBegun ||= event.type === 'message-add' && event.message.metadata[clientIdKey] === plan.sent[0];
      if (run.hasBegun) writer.write(event, after);
    };
    const isInterrupted = session.store.getState().status === 'interrupted';
    const turns = plan.begin?.() ?? [isInterrupted ? session.resume() : turnEnd(session)];
    void Promise.all(turns)
      .then((ends) => writer.end(ends.at(-1) as (typeof ends)[number], state))
      .finally(() => {
        leave();
        log.end();
      });
    return log;
  }

  return async (given, init) => {
    // Frameworks pass a request of their own class, which cannot be copied.
    const request = given instanceof Request && init === undefined ? given : new Request(given, init);
    const cursor = /^([\w-]+)\.(\d+)$/.exec(request.headers.get('last-event-id') ?? '');
    if (request.headers.has('last-event-id'))
      return answer(runs.find(({ log }) => log.id === cursor?.[1])?.log, Number(cursor?.[2]), request.signal);
    if (request.method !== 'POST') return problem(405, 'Send a RunAgentInput by POST.');
    const text = await boundedText(request);
    if (text === null) return problem(413, `The body has more than ${modelJson.length} bytes.`);
    const json = readJson(text, modelJson);
    const input = json.ok ? runInputOf(json.value) : null;
    if (input === null)
      return problem(400, 'The body is no RunAgentInput: it needs threadId, runId and messages.');
    const offer = readOffer(input.given, session.settings().agent);
    if (typeof offer === 'string') return problem(400, offer);
    return answer(await begin(input, offer), 0, request.signal);
  };
}

function answer(log: RunLog | undefined, from: number, signal: AbortSignal): Response {
  const body = log?.read(from) ?? null;
  return body === null
    ? problem(410, 'The events behind this Last-Event-ID are not kept. Send the run again without it.')
    : new Response(untilAborted(body, signal), {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      });
}

/** The state with the shared state, the offer and, in a new session, the history of the client. */
function withInput(now: AgentState, input: RunInput, offer: ClientOffer): AgentState {
  const history = historyOf(now, input);
  const told = history.length === 0 ? now : withMessages(now, history);
  const isOffer = offer.tools.length + offer.context.length > 0 || metadata(now)[offerKey] !== undefined;
  return withMetadata(told, {
    ...(input.state === null ? {} : { [sharedStateKey]: input.state }),
    ...(isOffer ? { [offerKey]: offer } : {}),
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
