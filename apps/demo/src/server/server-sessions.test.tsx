import { join } from 'node:path';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { defineAgent, createAgentSession } from '@vitrine/core';
import { scriptedInference } from '@vitrine/core/testing';
import { AgentProvider, useDeleteSession, useRenameSession, useSessions } from '@vitrine/react';
import { agentServer } from '@vitrine/react/server';
import { createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import type { ReactNode } from 'react';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';

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
