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
export type ServerRequests = ReturnType<typeof createServerRequests>;

/** The time for a command to be acknowledged before it is given again, in milliseconds. */
const giveMs = 30_000;

const sessions = (agentName: string): string => `/agents/${encodeURIComponent(agentName)}/sessions`;
const pathOf = ({ agentName, sessionId }: LinkedId): string =>
  `${sessions(agentName)}/${encodeURIComponent(sessionId)}`;

/** Creates the requests of one person, for the sessions of that person or of another owner. */
export function createServerRequests(
  { url, headers, fetch: given }: AgentServerClientOptions,
  owner: string | null = null,
) {
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

  const json = async (path: string): Promise<unknown> => (await send(path)).json();

  /** Gives a command, of a person when that is known. Resolves with its answer when there is one already. */
  async function give(session: LinkedId, command: object, person: string | null = null) {
    const response = await send(`${pathOf(session)}/commands${queryOf({ owner, by: person })}`, {
      ...withBody('POST', command),
      // A request that hangs must not hold up the next attempt.
      signal: AbortSignal.timeout(giveMs),
    });
    const { answer = null } = (await response.json()) as { readonly answer?: KnownAnswer };
    return answer;
  }

  return {
    url: `${base}${shared}`,
    /** Resolves with the stream of events after a position; empty for all. */
    events: (session: LinkedId, after: string, signal: AbortSignal): Promise<Response> =>
      send(`${pathOf(session)}/events${shared}`, {
        signal,
        headers: { accept: 'text/event-stream', ...(after !== '' && { 'last-event-id': after }) },
      }),
    give,
    async awaitAnswerTo(session: LinkedId, command: { readonly id: string }): Promise<KnownAnswer> {
      const path = `${pathOf(session)}/commands/${command.id}${shared}`;
      return (await give(session, command)) ?? awaitAnswer(() => json(path));
    },
    async find({ agentName, sessionId }: LinkedId): Promise<SessionSummary | null> {
      const found = await json(`${sessions(agentName)}${queryOf({ owner, id: sessionId })}`);
      return (found as SessionList).sessions[0] ?? null;
    },
    /** Gives a whole session. */
    take: (session: LinkedId, moving: MovingSession): Promise<void> =>
      repeatRequest(() => send(`${pathOf(session)}${shared}`, withBody('PUT', moving))),
    remove: (session: LinkedId): Promise<unknown> =>
      send(`${pathOf(session)}${shared}`, { method: 'DELETE' }),
    restore: (session: LinkedId): Promise<unknown> =>
      send(`${pathOf(session)}/restore${shared}`, { method: 'POST' }),
    /** Resolves with the stored past of a session, as the server writes it. */
    past: (session: LinkedId): Promise<unknown> => json(`${pathOf(session)}/past${shared}`),
    async list(agentName: string, query: SessionQuery): Promise<SessionList> {
      const asked = new URLSearchParams(shared);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) asked.set(name, String(value));
      return (await json(`${sessions(agentName)}?${asked}`)) as SessionList;
    },
    agents: async (): Promise<readonly ServedAgent[]> =>
      ((await json('/agents')) as { readonly agents: readonly ServedAgent[] }).agents,
  };
}

function withBody(method: string, body: object) {
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Pauses between two looks for an answer, in milliseconds, and before a session is given again. */
const pauses = { first: 50, longest: 1000 };
const attempts = 3;

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

function queryOf(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
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
  const elsewhere = `${url} answered ${ok ? 'with a page' : status}. Is the server of agents mounted there? Set agentServer({ url }).`;
  const said = problem?.detail ?? front?.message ?? elsewhere;
  // A sign-in may be renewed, and a gateway may come back.
  const retryable = status >= 500 || [401, 408, 425, 429].includes(status);
  return new AgentError(code as AgentErrorCode, said, { data: { status, retryable } });
}

type Problem = { readonly code?: string; readonly detail?: string };
