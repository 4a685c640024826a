import { join } from 'node:path';
import {
  type AgentSession,
  AgentState,
  createAgentSession,
  type Env,
  loadedSession,
  resolveRecord,
  type SessionStore,
} from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { fixedEnv } from '@vitrine/testing';
import { agentServer } from '@vitrine/react/server';
import { expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { wholeTurn } from '../../../tests/hosts/check-run.ts';
import { scriptedAgent, wholeScript } from '../../../tests/hosts/scripted-agent.ts';
import { createAgentServer } from './create-agent-server.ts';
import { dbosHost } from './dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from './dbos/host-databases.fixture.ts';
import type { SessionHost } from './host/session-host.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const newDatabase = hostDatabases();
const clerk = (): ReturnType<typeof scriptedAgent> =>
  scriptedAgent({ deed: () => undefined, point: () => undefined, paceMs: 0, exit: () => undefined });

/** The folded journal of the stored session as text, with its ids by the order in which they occur. */
async function journalOf(sessions: SessionStore): Promise<string> {
  const record = loadedSession(await sessions.load('s1'));
  const state = record && AgentState.toJSON(resolveRecord(record).state);
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id ${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  return JSON.stringify(state).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, nameOf);
}

async function inTab(env: Env): Promise<string> {
  const sessions = memorySessions();
  const session = createAgentSession({ agent: clerk(), sessions, sessionId: 's1', env });
  await wholeTurn(session, session, wholeScript);
  await session.dispose();
  return journalOf(sessions);
}

async function onServer(env: Env, host: SessionHost): Promise<string> {
  const server = createAgentServer({
    agents: { clerk: clerk() },
    host,
    env,
    log: () => undefined,
    authorize: () => ({ id: 'anna' }),
  });
  onTestFinished(() => server.stop({ graceMs: 0 }));
  const remote = agentServer<typeof server>({
    url: 'http://localhost',
    fetch: (input, init) => server.fetch(new Request(input, init)),
  });
  const device: AgentSession = createAgentSession({
    agent: remote.agents.clerk,
    sessions: remote.sessions,
    sessionId: 's1',
  });
  await wholeTurn(device, device, wholeScript);
  await device.dispose();
  const journal = await journalOf(host.sessions('anna'));
  // A server names who gave a command; a tab has nobody to name.
  expect(journal).toContain('"by":"anna"');
  return journal.replaceAll(/"metadata":\{"by":"anna"\},|,"by":"anna"|"by":"anna",/g, '');
}

it('the journal of a run is equal in a tab, with SQLite and with DBOS, with an equal Env', async ({
  skip,
}) => {
  const tab = await inTab(fixedEnv());
  expect(tab.length).toBeGreaterThan(5000);
  const file = join(folderOfTest('host'), 'sessions.db');
  expect(await onServer(fixedEnv(), sqliteHost({ path: file }))).toBe(tab);
  const url = await newDatabase();
  if (url === null) return skip(noPostgres);
  expect(await onServer(fixedEnv(), dbosHost({ url, version: '1' }))).toBe(tab);
});
