import { join } from 'node:path';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type AgentSession, createAgentSession, defineAgent, memorySessions } from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';
import {
  AgentProvider,
  AgentSessionProvider,
  useDeleteSession,
  useRenameSession,
  useSessions,
} from '@vitrine/react';
import { agentServer } from '@vitrine/react/server';
import { createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import type { ReactNode } from 'react';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import { ServerMark } from './server-mark.tsx';
import { serverSessions } from './server-sessions.ts';

afterEach(cleanup);

function List(): ReactNode {
  const { data } = useSessions();
  const remove = useDeleteSession();
  const rename = useRenameSession();
  return (
    <>
      {data?.map(({ id, title }) => (
        <p key={id}>
          {title}
          <button onClick={() => remove.mutate(id)}>delete</button>
          <button onClick={() => rename.mutate({ id, title: 'Orders' })}>rename</button>
        </p>
      ))}
      <button onClick={() => remove.restore.mutate('s1')}>restore</button>
      {data?.length === 0 && <p>No sessions</p>}
    </>
  );
}

it('a session that its page left on the way to the server is sent there when it is opened again', async () => {
  const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Hello' }]) });
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('demo'), 'sessions.db') }),
    authorize: () => ({ id: 'anna' }),
    log: () => undefined,
    lingerMs: 50,
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  await server.ready;
  vi.stubGlobal('fetch', (input: unknown, { signal: _signal, ...init }: RequestInit = {}) =>
    server.fetch(new Request(new URL(String(input), 'http://localhost'), init)),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const local = memorySessions();
  const open = (): AgentSession => createAgentSession({ agent: clerk, sessions: local, sessionId: 's1' });
  const left = open();
  await left.sendMessage('Where is it?');
  const { served } = serverSessions;
  const take = (): Promise<never> => new Promise(() => undefined);
  void left.moveTo({ ...serverSessions, ...(served && { served: { ...served, take } }) });
  await waitFor(() => expect(left.store.getState().movedTo).toMatchObject({ isThere: false }));
  await left.flush();
  const again = open();
  onTestFinished(async () => void (await Promise.all([left.dispose(), again.dispose()])));
  render(
    <AgentSessionProvider session={again}>
      <ServerMark sessionId="s1" agentId="clerk" isOnServer={false} />
    </AgentSessionProvider>,
  );
  await waitFor(() => expect(again.store.getState().movedTo).toMatchObject({ isThere: true }));
  expect((await serverSessions.list()).sessions).toMatchObject([{ id: 's1' }]);
});

it('the list of a page renames, deletes and restores sessions of a server', async () => {
  const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Hello' }]) });
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('demo'), 'sessions.db') }),
    authorize: () => ({ id: 'anna' }),
    log: () => undefined,
    lingerMs: 50,
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  await server.ready;
  const remote = agentServer<typeof server>({
    url: 'http://localhost/api',
    // Of jsdom's signals the requests of Node know nothing.
    fetch: (input, { signal: _signal, ...init } = {}) =>
      server.fetch(new Request(String(input), init as RequestInit)),
  });
  const session = createAgentSession({
    agent: remote.agents.clerk,
    sessions: remote.sessions,
    sessionId: 's1',
  });
  onTestFinished(async () => void (await session.dispose()));
  await session.sendMessage('Where is it?');
  render(
    <AgentProvider sessions={remote.sessions}>
      <List />
    </AgentProvider>,
  );
  await screen.findByText('Where is it?');
  fireEvent.click(screen.getByText('rename'));
  await screen.findByText('Orders');
  await waitFor(async () => {
    const { sessions } = await remote.sessions.list();
    expect(sessions).toMatchObject([{ title: 'Orders' }]);
  });
  fireEvent.click(screen.getByText('delete'));
  await screen.findByText('No sessions');
  await waitFor(async () => expect((await remote.sessions.list()).sessions).toEqual([]));
  fireEvent.click(screen.getByText('restore'));
  await screen.findByText('Orders');
});
