import { join } from 'node:path';
import { type AgentSession, AgentState, type AgentDefinition, Conversation } from '@vitrine/core';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { agentServer, type AgentServerClient } from '@vitrine/react/server';
import { expect, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { type AgentServer, type AgentServerOptions, createAgentServer } from './create-agent-server.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

type Agents = { readonly clerk: AgentDefinition };

/** A server of the clerk over real HTTP, and the deeds that were done there and in pages. */
export type ServedClerk = {
  readonly url: string;
  readonly deeds: string[];
  readonly server: AgentServer<Agents>;
  /** The client of a person, whose token is the name. */
  readonly remoteOf: (name?: string, given?: typeof fetch) => AgentServerClient<Agents>;
};

/** Serves the clerk over real HTTP and SQLite until the test ends. A token is the name of the person. */
export async function serveClerk(options: Partial<AgentServerOptions<Agents>> = {}): Promise<ServedClerk> {
  const deeds: string[] = [];
  const clerk = clerkOf({ deed: (text) => void deeds.push(text), pause: pauseFor });
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('served'), 'sessions.db') }),
    lingerMs: 100,
    log: () => undefined,
    authorize({ headers }) {
      const id = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '')?.[1];
      return id === undefined ? null : { id };
    },
    ...options,
  });
  const { url, close } = await serveInferenceProxy(server, { port: 0 });
  onTestFinished(async () => {
    await server.stop({ graceMs: 1000 });
    await close();
  });
  await server.ready;
  return {
    url,
    deeds,
    server,
    remoteOf: (name = 'anna', given = fetch) =>
      agentServer<AgentServer<Agents>>({ url, headers: { authorization: `Bearer ${name}` }, fetch: given }),
  };
}

/** The texts of a session, one after the other. */
export function textOf(session: AgentSession): string {
  return Conversation.messages(session.store.getState().state)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('|');
}

/** The ids of the calls that wait for a person. */
export function pendingOf(session: AgentSession): readonly string[] {
  return AgentState.pendingApprovals(session.store.getState().state).map(({ id }) => id);
}

/** Approves the one call that waits, once there is one. */
export async function approveOne(session: AgentSession): Promise<unknown> {
  await expect.poll(() => pendingOf(session), { timeout: 10_000 }).toHaveLength(1);
  return session.approve(pendingOf(session)[0] ?? '');
}
