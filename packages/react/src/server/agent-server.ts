import {
  type AgentDefinition,
  AgentError,
  defineAgent,
  type SessionList,
  type SessionStore,
  systemEnv,
} from '@vitrine/core';
import type { SessionQuery } from '@vitrine/core/types';
import { attachSession, type LinkedId, type ServedSessions } from '@vitrine/persist';
import { keptOutbox } from './kept-outbox.ts';
import { openServerChannel } from './server-channel.ts';
import {
  type AgentServerClientOptions,
  createServerRequests,
  type ServedAgent,
  type ServerRequests,
} from './server-requests.ts';

/** The agents of a server, without their code, and its sessions. */
export type AgentServerClient<Agents> = {
  /** The agents by name. They have the types of the server's agents; the server runs them. */
  readonly agents: { readonly [Name in keyof Agents]: Agents[Name] };
  /**
   * Resolves with the agents that the server runs now: their versions and tools. They may be newer than the types of this
   * page. @throws AgentError `session-storage` when the server cannot be reached
   */
  readonly describe: () => Promise<readonly ServedAgent[]>;
  /** The sessions that run on the server, for the option `sessions` of `useAgent`. */
  readonly sessions: SessionStore;
  /**
   * The sessions of another owner, by the id of that principal: those that `access` of the server lets this person
   * follow. The same store for the same owner.
   */
  readonly sessionsOf: (owner: string) => SessionStore;
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
  const shared = new Map<string, SessionStore>();
  return {
    agents,
    describe: requests.agents,
    sessions: remoteSessions(requests),
    sessionsOf(owner) {
      const store = shared.get(owner) ?? remoteSessions(createServerRequests(options, owner));
      shared.set(owner, store);
      return store;
    },
  };
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

function remoteSessions(requests: ServerRequests): SessionStore {
  const outbox = keptOutbox(requests.url);
  const seen = servedSessions(requests);
  const refuse = async (): Promise<never> => {
    const message = 'The server keeps this session, so the page writes nothing of it.';
    throw new AgentError('session-storage', message);
  };
  return {
    durability: 'process-crash',
    identity: `server:${requests.url}`,
    attach: attachSession,
    // The link tells what is stored.
    load: async () => ({ kind: 'absent', removedAt: null, epoch: 0 }),
    list: (query = {}) => list(requests, query, seen),
    served: seen.served,
    outbox,
    save: refuse,
    append: refuse,
    takeEpoch: refuse,
    remove: refuse,
    tabs: {
      where: 'server',
      lock(_name, onTurn) {
        queueMicrotask(() => onTurn(false));
        return () => undefined;
      },
      open(name, onMessage, session = { agentName: '', sessionId: name }) {
        seen.note(session);
        return openServerChannel({ requests, outbox, session, onMessage });
      },
    },
  };
}

/** The sessions of one agent, or of all. Only those of one agent have pages. */
async function list(
  requests: ServerRequests,
  query: SessionQuery,
  { note }: ReturnType<typeof servedSessions>,
): Promise<SessionList> {
  const { agentName, ...rest } = query;
  const names = agentName === undefined ? (await requests.agents()).map(({ name }) => name) : [agentName];
  const found = await Promise.all(names.map((name) => requests.list(name, rest)));
  for (const [at, { sessions }] of found.entries())
    for (const { id: sessionId } of sessions) note({ sessionId, agentName: names[at] ?? '' });
  const all = found.flatMap(({ sessions }) => sessions);
  const newestFirst = all.sort((a, b) => b.updatedAt - a.updatedAt);
  return {
    sessions: newestFirst.slice(0, query.limit ?? Infinity),
    cursor: found.length === 1 ? (found[0]?.cursor ?? null) : null,
  };
}

/** Creates the calls by which a page moves, renames and deletes sessions of a server. */
function servedSessions(requests: ServerRequests) {
  const agents = new Map<string, string>();

  /** The address of a session; its agent is looked up where the page has not seen it. */
  async function addressOf(sessionId: string): Promise<LinkedId> {
    const known = agents.get(sessionId);
    if (known !== undefined) return { sessionId, agentName: known };
    for (const { name: agentName } of await requests.agents()) {
      const address = { sessionId, agentName };
      if ((await requests.find(address)) === null) continue;
      agents.set(sessionId, agentName);
      return address;
    }
    throw notFound(sessionId);
  }

  const served: ServedSessions = {
    async check(session) {
      const found = await requests.find(session);
      if (found !== null) throw takenError(session.sessionId, found.status === 'deleted');
    },
    async take(session, moveId, from) {
      // The code that writes a whole session is for the few pages that move one.
      const { writeMovingSession } = await import('./moving.ts');
      await requests.take(session, await writeMovingSession(from, session.sessionId, { moveId }));
    },
    async rename(id, title) {
      const command = { type: 'rename', id: systemEnv.id(), title };
      const { error } = await requests.awaitAnswerTo(await addressOf(id), command);
      if (error !== null) throw new AgentError('session-storage', error.message);
    },
    remove: async (id) => void (await requests.remove(await addressOf(id))),
    restore: async (id) => void (await requests.restore(await addressOf(id))),
    async past(id) {
      const past = await requests.past(await addressOf(id));
      // Only an open panel asks for it.
      return (await import('./moving.ts')).readStoredPast(past);
    },
  };
  return {
    served,
    /** Notes the agent of a session, which its address needs. */
    note: ({ sessionId, agentName }: LinkedId): void => void agents.set(sessionId, agentName),
  };
}

function notFound(id: string): AgentError {
  const message = `The server has no session ${JSON.stringify(id)} for you.`;
  return new AgentError('session-not-found', message, { data: { id, retryable: false } });
}

function takenError(id: string, isDeleted: boolean): AgentError {
  const what = isDeleted ? 'A deleted session' : 'A session';
  const message = `${what} has the id ${JSON.stringify(id)} on the server already, so this one stays here. Fork it to move a copy.`;
  return new AgentError('session-conflict', message, { data: { id, retryable: false } });
}
