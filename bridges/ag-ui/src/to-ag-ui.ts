import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { metadata } from '@vitrine/core/internal/graph/agent-state/accessors';
import { withMessages, withMetadata } from '@vitrine/core/internal/graph/agent-state/transitions';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import { uuidV7 } from '@vitrine/core/internal/kit/ids';
import { modelJson, readJson } from '@vitrine/core/internal/kit/json';
import type { AgentSession, QueuedMessage } from '@vitrine/core/internal/session/agent-session';
import { findSession, type SessionSource } from '@vitrine/core/internal/session/session-source';
import { endWithState, isGoing, type TurnEnd, turnEnd } from '@vitrine/core/internal/session/turn-end';
import { clientIdKey, queuedMessages } from './client-messages.ts';
import { acceptOffers, type ClientOffer, offerKey, readOffer } from './client-offer.ts';
import { namedRun, nameOf, threadIn, threadKey, withNamedRun } from './named-run.ts';
import type { OpenSpans } from './open-spans.ts';
import { historyOf, planOf, type RunInput, runInputOf } from './run-plan.ts';
import { sharedStateKey } from './run-writer.ts';
import { placeIn, SharedRun, type SharedRunFacts } from './shared-run.ts';

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

type Stream = ReadableStream<Uint8Array>;

/** The runs of a session that go on, by their keys, as clients begin and read them. */
class SessionRuns {
  readonly #session: AgentSession;
  readonly #graceMs: number;
  readonly #runs = new Map<string, SharedRun>();

  /** @param graceMs Milliseconds after which a run stops that no client reads any more. */
  constructor(session: AgentSession, graceMs: number) {
    this.#session = session;
    this.#graceMs = graceMs;
    acceptOffers(session);
  }

  /** The agent of the session at the moment. */
  get agent(): AgentDefinition {
    return this.#session.settings().agent;
  }

  /** True when the agent runs on a server, which takes no tools and no context of a client. */
  get isServed(): boolean {
    return this.#session.store.getState().where === 'server';
  }

  /** Gives the session the commands of an input, and returns the events of their run. */
  async begin(input: RunInput, offer: ClientOffer): Promise<Stream> {
    const session = this.#session;
    const key = uuidV7();
    const { isServed } = this;
    const change = (now: AgentState): AgentState => withNamedRun(withInput(now, input, offer), key, input);
    const run = await this.#openRun(key, isServed ? null : change);
    const name = isServed ? nameOf(run.state, key, input) : null;
    const plan = planOf(session, run.state, input, { isLeft: this.#left().length > 0, name });
    const hasBegun = plan.sent.length === 0 || plan.isAnswer || !isGoing(session.store.getState());
    const { sent, results } = plan;
    run.start({ ids: input.ids, sent, results, hasBegun, isOwn: plan.begin !== null, isWhole: true });
    this.#runs.set(key, run);
    const body = run.read((writer) => writer.begin(run.state, plan.snapshot));
    void this.#endWith(run, plan.begin?.() ?? [this.#currentTurn()]);
    return body;
  }

  /** The later events of a run, for a client that has something open; null when they are not known. */
  async join(key: string, open: OpenSpans): Promise<Stream | null> {
    if (open.isEnded) return new Blob().stream();
    const known = this.#runs.get(key);
    return known === undefined ? this.#reopenRun(key, open) : this.#joinRun(known, open);
  }

  /** Opens a run that has ended here, or that another process has begun; null when the session does not know it. */
  async #reopenRun(key: string, open: OpenSpans): Promise<Stream | null> {
    const run = await this.#openRun(key, this.isServed ? null : (now) => now);
    // Another reader may have opened it meanwhile.
    const already = this.#runs.get(key);
    const facts = already === undefined ? this.#factsOf(run) : null;
    if (facts === null) {
      run.close();
      return already === undefined ? null : this.#joinRun(already, open);
    }
    run.start(facts);
    this.#runs.set(key, run);
    const body = this.#joinRun(run, open);
    void this.#endWith(run, [this.#currentTurn()]);
    return body;
  }

  #joinRun(run: SharedRun, open: OpenSpans): Stream {
    const { queue } = this.#session.store.getState();
    return run.read((writer) => writer.rejoin(run.state, open, queuedMessages(queue)), open);
  }

  /** The facts of a run as the session keeps them; null when it or its messages are not known. */
  #factsOf({ state, key }: SharedRun): SharedRunFacts | null {
    const { queue, status } = this.#session.store.getState();
    const named = status === 'deleted' ? null : namedRun(state, key, queue);
    if (named === null) return null;
    const hasBegun = !queue.some((message) => isSentAs(message, named.sent.slice(0, 1)));
    return { ...named, hasBegun, isOwn: this.#isUnfinished(), isWhole: false };
  }

  /** Opens a run that receives all later events of the session. `change` is null on a server, which takes none. */
  async #openRun(key: string, change: ((now: AgentState) => AgentState) | null): Promise<SharedRun> {
    const session = this.#session;
    await session.ready;
    // The application may have given the session another agent.
    acceptOffers(session);
    const run = new SharedRun(session, key, () => this.#stopSoon());
    // A session that cannot be changed refuses the commands of the run too, and they tell the reason.
    if (change !== null) await session.update((now) => run.setState(change(now))).catch(() => undefined);
    return run;
  }

  /** Ends a run with the last of its turns. No reader joins a run that has ended. */
  async #endWith(run: SharedRun, turns: readonly Promise<TurnEnd>[]): Promise<void> {
    try {
      const last = Promise.all(turns).then((ends) => ends.at(-1) as TurnEnd);
      run.end(await endWithState(this.#session, last, () => run.isOver));
    } finally {
      this.#runs.delete(run.key);
    }
  }

  /** The turn of the session; one that another process left interrupted or queued is resumed. */
  #currentTurn(): Promise<TurnEnd> {
    return this.#isUnfinished() ? this.#session.resume() : turnEnd(this.#session);
  }

  #isUnfinished(): boolean {
    const { status, queue } = this.#session.store.getState();
    return status === 'interrupted' || (status === 'ready' && queue.length > 0);
  }

  /** The runs that were begun here and that all clients have left; none while somebody reads the run that goes on. */
  #left(): readonly SharedRun[] {
    const open = [...this.#runs.values()];
    if (open.some(({ hasBegun, isLeft }) => hasBegun && !isLeft)) return [];
    return open.filter(({ isLeft, facts }) => isLeft && facts.isOwn);
  }

  #stopSoon(): void {
    if (this.#graceMs < Infinity) setTimeout(() => this.stopLeft(), this.#graceMs);
  }

  /** Stops what was begun here and is read by nobody. */
  stopLeft(): void {
    const session = this.#session;
    const left = this.#left();
    if (left.length === 0) return;
    const sent = left.flatMap(({ facts }) => facts.sent);
    const queued = session.store.getState().queue.filter((message) => isSentAs(message, sent));
    for (const { id } of queued) session.cancelQueued(id);
    if (queued.length < sent.length || sent.length === 0)
      void session.stop('The client of the run has left.');
  }
}

function isSentAs(message: QueuedMessage, ids: readonly unknown[]): boolean {
  const id = message.metadata?.[clientIdKey];
  return id !== undefined && ids.includes(id);
}

/** The state with the shared state, the offer and, in a new session, the history of the client. */
function withInput(now: AgentState, input: RunInput, offer: ClientOffer): AgentState {
  const history = historyOf(now, input);
  const given = history.length === 0 ? now : withMessages(now, history);
  const isOffer = offer.tools.length + offer.context.length > 0 || metadata(now)[offerKey] !== undefined;
  return withMetadata(given, {
    [threadKey]: metadata(now)[threadKey] ?? input.ids.threadId,
    ...(input.state === null ? {} : { [sharedStateKey]: input.state }),
    ...(isOffer ? { [offerKey]: offer } : {}),
  });
}
