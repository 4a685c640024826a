import {
  AgentError,
  type AgentErrorCode,
  type ErrorInfo,
  isAgentError,
  type SessionList,
  type SessionSummary,
  type Turn,
} from '@vitrine/core';
import { type LinkedId, type MovingSession } from '@vitrine/persist';
import { serverInFront } from '@vitrine/core/internal/kit/server-in-front';
import type { SessionQuery } from '@vitrine/core/types';

type HeaderRecord = Readonly<Record<string, string>>;

/** Options of `agentServer`. */
export type AgentServerClientOptions = {
  /** The address below which the server is mounted, e.g. `/api`. */
  readonly url: string;
  /**
   * Headers of every request; a function is called for each, e.g. for a fresh token. Default: none; cookies are sent.
   */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);
  /** The function for requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
};

/** An agent of a server, as the server describes it now. */
export type ServedAgent = {
  /** The name in its address, which is the one in `agents`. */
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  /** The names of its tools. */
  readonly tools: readonly string[];
  /** The names of those that a page answers with `respond`. */
  readonly pageTools: readonly string[];
};

/** The answer of a server to a command, when it is known already. */
export type KnownAnswer = { readonly turn: Turn | null; readonly error: ErrorInfo | null };

/** The requests to one server. All reject with AgentError when the server refuses. */
export type ServerRequests = {
  readonly url: string;
  /** Resolves with the stream of events after a position; empty for all. */
  readonly events: (session: LinkedId, after: string, signal: AbortSignal) => Promise<Response>;
  /**
   * Gives a command, of a person when that is known. Resolves with its answer when there is one
   * already.
   */
  readonly give: (session: LinkedId, command: object, person?: string | null) => Promise<KnownAnswer | null>;
  /** Resolves with the answer to a command once there is one. */
  readonly awaitAnswerTo: (session: LinkedId, command: { readonly id: string }) => Promise<KnownAnswer>;
  /** Resolves with the summary of a stored session; null for none. */
  readonly find: (session: LinkedId) => Promise<SessionSummary | null>;
  /** Gives a whole session. */
  readonly take: (session: LinkedId, moving: MovingSession) => Promise<void>;
  readonly remove: (session: LinkedId) => Promise<void>;
  readonly restore: (session: LinkedId) => Promise<void>;
  /** Resolves with the stored past of a session, as the server writes it. */
  readonly past: (session: LinkedId) => Promise<unknown>;
  readonly list: (agentName: string, query: SessionQuery) => Promise<SessionList>;
  readonly agents: () => Promise<readonly ServedAgent[]>;
};

/** The time for a command to be acknowledged before it is given again, in milliseconds. */
const giveMs = 30_000;

const sessions = (agentName: string): string => `/agents/${encodeURIComponent(agentName)}/sessions`;
const pathOf = ({ agentName, sessionId }: LinkedId): string =>
  `${sessions(agentName)}/${encodeURIComponent(sessionId)}`;

/** Creates the requests of one person, for the sessions of that person or of another owner. */
export function createServerRequests(
  { url, headers, fetch: given }: AgentServerClientOptions,
  owner: string | null = null,
): ServerRequests {
  const base = url.replace(/\/$/, '');
  const shared = queryOf({ owner });

  async function send(path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) {
    const own = typeof headers === 'function' ? await headers() : headers;
    // Read at each call: tests and polyfills replace the global one.
    const response = await (given ?? fetch)(`${base}${path}`, {
      credentials: 'include',
      ...init,
      headers: { ...own, ...init.headers },
    }).catch((cause: unknown) => {
      throw cause instanceof Error && cause.name === 'AbortError' ? cause : unreachable(base, cause);
    });
    // A web server that has one page for all addresses answers with it when nothing else takes a request.
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
    if (!response.ok || isPage) throw await refusalOf(response, `${init.method ?? 'GET'} ${base}${path}`);
    return response;
  }

  const requests: ServerRequests = {
    url: `${base}${shared}`,
    events: (session, after, signal) =>
      send(`${pathOf(session)}/events${shared}`, {
        signal,
        headers: { accept: 'text/event-stream', ...(after !== '' && { 'last-event-id': after }) },
      }),
    async give(session, command, person = null) {
      const body = JSON.stringify(command);
      const headersOf = { 'content-type': 'application/json' };
      const response = await send(`${pathOf(session)}/commands${queryOf({ owner, by: person })}`, {
        method: 'POST',
        body,
        headers: headersOf,
        // A request that hangs must not hold up the next attempt.
        signal: AbortSignal.timeout(giveMs),
      });
      const { answer = null } = (await response.json()) as { readonly answer?: KnownAnswer };
      return answer;
    },
    async awaitAnswerTo(session, command) {
      const path = `${pathOf(session)}/commands/${command.id}${shared}`;
      return (await requests.give(session, command)) ?? awaitAnswer(async () => (await send(path)).json());
    },
    async find(session) {
      const { agentName, sessionId } = session;
      const path = `${sessions(agentName)}${queryOf({ owner, id: sessionId })}`;
      const found = (await (await send(path)).json()) as SessionList;
      return found.sessions[0] ?? null;
    },
    async take(session, moving) {
      const body = JSON.stringify(moving);
      const init = { method: 'PUT', body, headers: { 'content-type': 'application/json' } };
      await repeatRequest(() => send(`${pathOf(session)}${shared}`, init));
    },
    remove: async (session) => void (await send(`${pathOf(session)}${shared}`, { method: 'DELETE' })),
    restore: async (session) => void (await send(`${pathOf(session)}/restore${shared}`, { method: 'POST' })),
    past: async (session) => (await send(`${pathOf(session)}/past${shared}`)).json() as Promise<unknown>,
    async list(agentName, query) {
      const asked = new URLSearchParams(shared);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) asked.set(name, String(value));
      return (await (await send(`${sessions(agentName)}?${asked}`)).json()) as SessionList;
    },
    async agents() {
      const body = (await (await send('/agents')).json()) as { readonly agents: readonly ServedAgent[] };
      return body.agents;
    },
  };
  return requests;
}

/** Pauses between two looks for an answer, in milliseconds, and before a session is given again. */
const pauses = { first: 50, longest: 1000 };
/** The number of times that a session is given again. */
const attempts = 3;

/** Resolves with an answer once there is one. */
async function awaitAnswer(ask: () => Promise<unknown>): Promise<KnownAnswer> {
  for (let ms = pauses.first; ; ms = Math.min(pauses.longest, ms * 2)) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    const { answer = null } = (await ask()) as { readonly answer?: KnownAnswer | null };
    if (answer !== null) return answer;
  }
}

/** Makes a request that changes nothing the second time, again when it was lost on the way. */
async function repeatRequest(request: () => Promise<unknown>): Promise<void> {
  for (let left = attempts; ; left--) {
    try {
      await request();
      return;
    } catch (thrown) {
      if (left === 0 || !isAgentError(thrown) || thrown.data['retryable'] === false) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pauses.longest));
    }
  }
}

function unreachable(url: string, cause: unknown): AgentError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The server at ${url} cannot be reached (${reason}). Try again when the connection is back.`;
  return new AgentError('session-storage', message, { data: { retryable: true }, cause });
}

/** The query with the parameters that are not null. */
function queryOf(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** The sentence for an address where something else answers. */
function notMounted(url: string, answer: string): string {
  return `${url} answered ${answer}. Is the server of agents mounted there? Set agentServer({ url }).`;
}

/**
 * The error of an answer that is a refusal, or of another server. `retryable` in its data tells whether to try again, and
 * a redirect to a sign-in has the status 401.
 */
async function refusalOf(response: Response, request: string): Promise<AgentError> {
  const { url, ok } = response;
  const body = (await response.json().catch(() => null)) as
    { readonly [Key in keyof Problem]: unknown } | null;
  // Gateways have codes of their own.
  const isOwn = typeof body?.code === 'string' && typeof body.detail === 'string';
  const problem = isOwn ? (body as Problem) : null;
  const server = 'the server of agents';
  const front = problem === null ? serverInFront(response, { server, request }) : null;
  const status = front?.code === 'unauthorized' ? 401 : response.status;
  const code = problem?.code ?? front?.code ?? (ok ? 'not-found' : `http-${status}`);
  const said = problem?.detail ?? front?.message ?? notMounted(url, ok ? 'with a page' : String(status));
  // A sign-in may be renewed, and a gateway may come back.
  const retryable = status >= 500 || [401, 408, 425, 429].includes(status);
  return new AgentError(code as AgentErrorCode, said, { data: { status, retryable } });
}

type Problem = { readonly code?: string; readonly detail?: string };
