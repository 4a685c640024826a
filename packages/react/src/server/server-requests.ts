import { AgentError, type AgentErrorCode, type ErrorInfo, type SessionList, type Turn } from '@vitrine/core';
import type { LinkedId } from '@vitrine/core/stores';
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

/** The answer of a server to a command, when it is known already. */
export type KnownAnswer = { readonly turn: Turn | null; readonly error: ErrorInfo | null };

/** The requests to one server. All reject with AgentError when the server refuses. */
export type ServerRequests = {
  readonly url: string;
  /** Resolves with the stream of events after a position. */
  readonly events: (session: LinkedId, after: string | null, signal: AbortSignal) => Promise<Response>;
  /** Gives a command. Resolves with its answer when there is one already. */
  readonly give: (session: LinkedId, command: object) => Promise<KnownAnswer | null>;
  readonly list: (agentName: string, query: SessionQuery) => Promise<SessionList>;
  readonly agentNames: () => Promise<readonly string[]>;
};

export function createServerRequests({
  url,
  headers,
  fetch: given,
}: AgentServerClientOptions): ServerRequests {
  const base = url.replace(/\/$/, '');

  async function send(path: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) {
    const own = typeof headers === 'function' ? await headers() : headers;
    // Read at each call: tests and polyfills replace the global one.
    const response = await (given ?? fetch)(`${base}${path}`, {
      credentials: 'include',
      ...init,
      headers: { ...own, ...init.headers },
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  const sessions = (agentName: string): string => `/agents/${encodeURIComponent(agentName)}/sessions`;
  const pathOf = ({ agentName, sessionId }: LinkedId): string => `${sessions(agentName)}/${sessionId}`;
  return {
    url: base,
    events: (session, after, signal) =>
      send(`${pathOf(session)}/events`, {
        signal,
        headers: { accept: 'text/event-stream', ...(after !== null && { 'last-event-id': after }) },
      }),
    async give(session, command) {
      const body = JSON.stringify(command);
      const headersOf = { 'content-type': 'application/json' };
      const response = await send(`${pathOf(session)}/commands`, {
        method: 'POST',
        body,
        headers: headersOf,
      });
      const { answer = null } = (await response.json()) as { readonly answer?: KnownAnswer };
      return answer;
    },
    async list(agentName, query) {
      const asked = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) asked.set(name, String(value));
      return (await (await send(`${sessions(agentName)}?${asked}`)).json()) as SessionList;
    },
    async agentNames() {
      const { agents } = (await (await send('/agents')).json()) as {
        readonly agents: readonly { name: string }[];
      };
      return agents.map(({ name }) => name);
    },
  };
}

/** The refusal of a server as an error. `retryable` in its data tells whether to try again. */
async function refusalOf(response: Response): Promise<AgentError> {
  const problem = (await response.json().catch(() => ({}))) as {
    readonly code?: string;
    readonly detail?: string;
  };
  const { status, url } = response;
  const code = (problem.code ?? `http-${status}`) as AgentErrorCode;
  const message =
    problem.detail ??
    `${url} answered ${status}. Is the server of agents mounted there? Set agentServer({ url }).`;
  // A sign-in may be renewed, and a gateway may come back.
  const retryable = status >= 500 || [401, 408, 425, 429].includes(status);
  return new AgentError(code, message, { data: { status, retryable } });
}
