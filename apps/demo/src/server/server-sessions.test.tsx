import { join } from 'node:path';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import {
  AgentProvider,
  AgentSessionProvider,
  useDeleteSession,
  useRenameSession,
  useSessions,
} from '@vitrine/react';
import { agentServer } from '@vitrine/react/server';
import { type AgentServer, createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import { type ReactNode, useState } from 'react';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import { knownSessions, markOnServer } from './known-sessions.ts';
import { ServerList } from './server-list.tsx';
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

const clerk = defineAgent({ name: 'clerk', inference: scriptedInference([{ text: 'Hello' }]) });

/** The server of the demo's page, whose requests reach it without a network. */
async function serveDemo(): Promise<void> {
  const server = await serveClerk();
  vi.stubGlobal('fetch', (input: unknown, { signal: _signal, ...init }: RequestInit = {}) =>
    server.fetch(new Request(new URL(String(input), 'http://localhost'), init)),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
}

/** A session on the server of the demo, after its first message. */
async function talkOnServer(): Promise<AgentSession> {
  const { sessions } = agentServer({ url: '/api' });
  const session = createAgentSession({ agent: clerk, sessions, sessionId: 's1' });
  onTestFinished(async () => void (await session.dispose()));
  await session.sendMessage('Where is it?');
  return session;
}

async function serveClerk(): Promise<AgentServer<{ readonly clerk: typeof clerk }>> {
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('demo'), 'sessions.db') }),
    authorize: () => ({ id: 'anna' }),
    log: () => undefined,
    lingerMs: 50,
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  await server.ready;
  return server;
}

it('a session that its page left on the way to the server is sent there when it is opened again', async () => {
  await serveDemo();
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

it('a person deletes the open session of the server in the list, takes that back, and deletes it for good', async () => {
  await serveDemo();
  const session = await talkOnServer();
  markOnServer('s1');
  const opened: string[] = [];
  function Sidebar(): ReactNode {
    const [currentId, open] = useState('s1');
    const onOpen = (id: string): void => (opened.push(id), open(id));
    return <ServerList currentId={currentId} onOpen={onOpen} without={[]} />;
  }
  render(<Sidebar />);
  const remove = { name: 'Delete Where is it?' };
  fireEvent.click(await screen.findByRole('button', remove));
  await waitFor(async () => expect((await serverSessions.list()).sessions).toEqual([]));
  await waitFor(() => expect(session.store.getState().status).toBe('deleted'));
  expect(screen.queryByRole('button', remove)).toBeNull();
  expect(screen.getByText('Deleted “Where is it?”')).toBeTruthy();
  expect(document.activeElement?.textContent).toBe('Undo');
  fireEvent.click(screen.getByText('Undo'));
  await waitFor(() => expect(session.store.getState().status).toBe('ready'));
  fireEvent.click(await screen.findByRole('button', remove));
  await waitFor(() => expect(session.store.getState().status).toBe('deleted'));
  // Until it cannot come back, it stays open, and this browser looks for it there.
  expect(opened).toEqual([]);
  expect(knownSessions()).toContain('s1');
  fireEvent.keyDown(screen.getByText('Undo'), { key: 'Escape' });
  expect(screen.queryByText('Undo')).toBeNull();
  expect(knownSessions()).not.toContain('s1');
  expect(opened).toHaveLength(1);
  expect(opened).not.toContain('s1');
});

it('a person is told in the list why a session of the server cannot be deleted', async () => {
  await serveDemo();
  await talkOnServer();
  render(<ServerList currentId="other" onOpen={() => undefined} without={[]} />);
  const remove = await screen.findByRole('button', { name: 'Delete Where is it?' });
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) =>
    init?.method === 'DELETE' ? Promise.reject(new Error('no network')) : fetch(input, init),
  );
  fireEvent.click(remove);
  await screen.findByText(/cannot be reached \(no network\)\. Try again/);
  expect(screen.queryByText('Undo')).toBeNull();
  await screen.findByRole('button', { name: 'Delete Where is it?' });
});

it('the list of a page renames, deletes and restores sessions of a server', async () => {
  const server = await serveClerk();
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
