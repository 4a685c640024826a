import {
  type AgentDefinition,
  AgentError,
  defineAgent,
  type SessionList,
  type SessionStore,
  type SessionSummary,
} from '@vitrine/core';
import type { SessionQuery } from '@vitrine/core/types';
import {
  type AgentServerClientOptions,
  createServerRequests,
  type ServerRequests,
} from './server-requests.ts';
import { keptOutbox } from './kept-outbox.ts';
import { openServerChannel } from './server-channel.ts';

/** The agents of a server, without their code, and its sessions. */
export type AgentServerClient<Agents> = {
  /** The agents by name. They have the types of the server's agents; the server runs them. */
  readonly agents: { readonly [Name in keyof Agents]: Agents[Name] };
  /** The sessions that run on the server, for the option `sessions` of `useAgent`. */
  readonly sessions: SessionStore;
};

type AgentsOf<Server> = Server extends { readonly '~agents'?: infer Agents } ? NonNullable<Agents> : never;

/**
 * Connects to the agents of a server. The page follows their sessions and gives them commands, and holds no agent code:
 *
 * ```ts
 * import type { server } from '../server/agents';
 *
 * const remote = agentServer<typeof server>({ url: '/api' });
 * useAgent(remote.agents.clerk, { sessionId, sessions: remote.sessions });
 * ```
 */
export function agentServer<Server>(options: AgentServerClientOptions): AgentServerClient<AgentsOf<Server>> {
  const requests = createServerRequests(options);
  const known = new Map<string, AgentDefinition>();

  function agentOf(name: string): AgentDefinition {
    const found = known.get(name) ?? remoteAgent(name);
    known.set(name, found);
    return found;
  }

  const agents = new Proxy({} as AgentServerClient<AgentsOf<Server>>['agents'], {
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? agentOf(name) : undefined),
  });
  return { agents, sessions: remoteSessions(requests) };
}

/** An agent that has a name only. Its session follows, so nothing here ever runs it. */
function remoteAgent(name: string): AgentDefinition {
  return defineAgent({
    name,
    inference: {
      // oxlint-disable-next-line require-yield -- it never answers
      async *stream() {
        throw new AgentError('agent-invalid', `The agent ${JSON.stringify(name)} runs on its server only.`);
      },
    },
  });
}

/** The store of sessions on a server, which is the tab that always leads. */
function remoteSessions(requests: ServerRequests): SessionStore {
  const outbox = keptOutbox(requests.url);
  const refuse = async (): Promise<never> => {
    throw new AgentError(
      'session-storage',
      'The server keeps this session, so the page writes nothing of it.',
    );
  };
  return {
    durability: 'process-crash',
    identity: `server:${requests.url}`,
    // The link tells what is stored.
    load: async () => ({ kind: 'absent', removedAt: null, epoch: 0 }),
    list: (query = {}) => list(requests, query),
    outbox,
    save: refuse,
    takeEpoch: refuse,
    remove: refuse,
    tabs: {
      where: 'server',
      lock(_name, onTurn) {
        queueMicrotask(() => onTurn(false));
        return () => undefined;
      },
      open(name, onMessage, session = { agentName: '', sessionId: name }) {
        return openServerChannel({ requests, outbox, session, onMessage });
      },
    },
  };
}

/** The sessions of one agent, or of all. Only those of one agent have pages. */
async function list(requests: ServerRequests, query: SessionQuery): Promise<SessionList> {
  const { agentName, status, ...rest } = query;
  const names = agentName === undefined ? await requests.agentNames() : [agentName];
  const found = await Promise.all(names.map((name) => requests.list(name, rest)));
  const all = found.flatMap(({ sessions }) => sessions);
  const isWanted = (summary: SessionSummary): boolean => status === undefined || summary.status === status;
  const newestFirst = all.filter(isWanted).toSorted((a, b) => b.updatedAt - a.updatedAt);
  return {
    sessions: newestFirst.slice(0, query.limit ?? Infinity),
    cursor: found.length === 1 ? (found[0]?.cursor ?? null) : null,
  };
}
