import { metadata } from '../../graph/agent-state/accessors.ts';
import { withMessages, withMetadata } from '../../graph/agent-state/transitions.ts';
import type { AgentState } from '../../graph/types.ts';
import { modelJson, readJson } from '../../kit/json.ts';
import type { AgentSession } from '../../session/agent-session.ts';
import { isGoing, type TurnEnd, turnEnd } from '../turn-end.ts';
import { clientIdKey } from './client-messages.ts';
import { acceptOffers, type ClientOffer, offerKey, readOffer } from './client-offer.ts';
import { namedRun, queuedMessages, withNamedRun } from './named-run.ts';
import { OpenSpans } from './open-spans.ts';
import { historyOf, planOf, type RunInput, runInputOf } from './run-plan.ts';
import { sharedStateKey } from './run-writer.ts';
import { ToldRun } from './told-run.ts';

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
  acceptOffers(session);
  /** The runs that go on, by their keys. */
  const runs = new Map<string, ToldRun>();

  /** The runs that were begun here and that all clients have left; none while somebody reads the run that goes on. */
  function leftRuns(): readonly ToldRun[] {
    const open = [...runs.values()];
    if (open.some(({ hasBegun, isLeft }) => hasBegun && !isLeft)) return [];
    return open.filter(({ isLeft, facts }) => isLeft && facts.isOwn);
  }

  /** Stops what was begun here when nobody has read it for a while. */
  function onLeft(): void {
    setTimeout(() => {
      const left = leftRuns();
      if (left.length === 0) return;
      const sent = new Set<unknown>(left.flatMap(({ facts }) => facts.sent));
      const queued = session.store
        .getState()
        .queue.filter(({ metadata: given = {} }) => sent.has(given[clientIdKey]));
      for (const { id } of queued) session.cancelQueued(id);
      if (queued.length < sent.size || sent.size === 0) void session.stop('The client of the run has left.');
    }, graceMs);
  }

  /** A run at a moment of the session, behind which it hears all events. */
  async function openRun(key: string, change: (now: AgentState) => AgentState): Promise<ToldRun> {
    await session.ready;
    // The application may have given the session another agent.
    acceptOffers(session);
    const run = new ToldRun(session, key, onLeft);
    // A session that cannot be changed refuses the commands of the run too, and they tell the reason.
    await session.update((now) => (run.state = change(now))).catch(() => undefined);
    return run;
  }

  /** Ends a run with the last of its turns. */
  function endWith(run: ToldRun, turns: readonly Promise<TurnEnd>[]): void {
    void Promise.all(turns)
      .then((ends) => run.end(ends.at(-1) as TurnEnd))
      .finally(() => runs.delete(run.key));
  }

  /** The turn that goes on. What the end of another process interrupted, or left in the queue, goes on now. */
  function turnThatGoesOn(): Promise<TurnEnd> {
    return isLeftOpen() ? session.resume() : turnEnd(session);
  }

  function isLeftOpen(): boolean {
    const { status, queue } = session.store.getState();
    return status === 'interrupted' || (status === 'ready' && queue.length > 0);
  }

  async function begin(input: RunInput, offer: ClientOffer): Promise<ReadableStream<Uint8Array>> {
    const key = crypto.randomUUID();
    const run = await openRun(key, (now) => withNamedRun(withInput(now, input, offer), key, input));
    const plan = planOf(session, run.state, input, leftRuns().length > 0);
    const hasBegun = plan.sent.length === 0 || plan.isAnswer || !isGoing(session.store.getState());
    const { sent, results } = plan;
    run.start({ ids: input.ids, sent, results, hasBegun, isOwn: plan.begin !== null, isWhole: true });
    runs.set(key, run);
    const body = run.read((writer) => writer.begin(run.state, plan.snapshot));
    endWith(run, plan.begin?.() ?? [turnThatGoesOn()]);
    return body;
  }

  /** A run that another process has begun; null when it is not known, or its messages are not. */
  async function openAgain(key: string): Promise<ToldRun | null> {
    const run = await openRun(key, (now) => now);
    const already = runs.get(key);
    const { queue, status } = session.store.getState();
    const named = namedRun(run.state, key, queue);
    if (already !== undefined || named === null || status === 'deleted') {
      run.close();
      return already ?? null;
    }
    const [first] = named.sent;
    const hasBegun = !queue.some(
      ({ metadata: given = {} }) => first !== undefined && given[clientIdKey] === first,
    );
    run.start({ ...named, hasBegun, isOwn: isLeftOpen(), isWhole: false });
    runs.set(key, run);
    return run;
  }

  /** The events behind the one of an id; null when they are not known. */
  async function goOn(id: string): Promise<ReadableStream<Uint8Array> | null> {
    const [, key = '', text = ''] = /^([\w-]+)\.(.*)$/.exec(id) ?? [];
    const open = OpenSpans.read(text);
    if (key === '' || open === null) return null;
    if (open.isEnded) return new Blob().stream();
    const known = runs.get(key);
    const run = known ?? (await openAgain(key));
    if (run === null) return null;
    const { queue } = session.store.getState();
    const body = run.read((writer) => writer.goOn(run.state, open, queuedMessages(queue)), open);
    if (known === undefined) endWith(run, [turnThatGoesOn()]);
    return body;
  }

  return async (given, init) => {
    // Frameworks pass a request of their own class, which cannot be copied.
    const request = given instanceof Request && init === undefined ? given : new Request(given, init);
    const { headers, method, signal } = request;
    const id = headers.get('last-event-id');
    if (id !== null) return answer(await goOn(id), signal);
    if (method !== 'POST') return problem(405, 'Send a RunAgentInput by POST.');
    const text = await boundedText(request);
    if (text === null) return problem(413, `The body has more than ${modelJson.length} bytes.`);
    const json = readJson(text, modelJson);
    const input = json.ok ? runInputOf(json.value) : null;
    if (input === null)
      return problem(400, 'The body is no RunAgentInput: it needs threadId, runId and messages.');
    const offer = readOffer(input.given, session.settings().agent);
    if (typeof offer === 'string') return problem(400, offer);
    return answer(await begin(input, offer), signal);
  };
}

function answer(body: ReadableStream<Uint8Array> | null, signal: AbortSignal): Response {
  return body === null
    ? problem(410, 'The run of this Last-Event-ID is not known here. Send the run again without it.')
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
