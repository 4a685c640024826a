import { QueryClient } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { AgentState, createAgentSession, Message, type SessionStore, loadedSession } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import { AgentProvider } from '../agent-provider.tsx';
import { agentOf, expectSilence, pause } from '../fixtures/chat.tsx';
import { useAgent } from '../hooks/use-agent.ts';
import {
  useDeleteSession,
  useExportSession,
  useImportSession,
  useRenameSession,
} from '../hooks/stored-mutations.ts';
import { useSession, useSessions } from '../hooks/use-sessions.ts';

afterEach(cleanup);
expectSilence();

const agent = agentOf([{ text: 'x' }]);

function List({ to = 'Renamed' }: { readonly to?: string }): ReactNode {
  const { data } = useSessions();
  const remove = useDeleteSession();
  const rename = useRenameSession();
  return data?.map(({ id, title }) => (
    <p key={id}>
      {title}
      <button onClick={() => remove.mutate(id)}>{`delete ${title}`}</button>
      <button onClick={() => rename.mutate({ id, title: to })}>{`rename ${title}`}</button>
    </p>
  ));
}

/** Writes a session to a store, as another tab would. */
async function say(sessions: SessionStore, text: string): Promise<void> {
  const session = createAgentSession({ agent, sessions, sessionId: 'one' });
  await session.sendMessage(text);
  await session.dispose();
}

function page(sessions: SessionStore, children: ReactNode): ReactNode {
  // An application's stale time for its servers must not apply to stored sessions.
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  return (
    <AgentProvider sessions={sessions} queryClient={queryClient}>
      {children}
    </AgentProvider>
  );
}

it('a list follows sessions that are saved, renamed and deleted', async () => {
  const sessions = memorySessions();
  render(page(sessions, <List />));
  await act(() => say(sessions, 'Hello'));
  await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
  act(() => screen.getByText('rename Hello').click());
  await waitFor(() => expect(screen.getByText('delete Renamed')).toBeTruthy());
  act(() => screen.getByText('delete Renamed').click());
  await waitFor(() => expect(screen.queryByText('delete Renamed')).toBeNull());
});

it('a session without an id is a new entry of the list from its first message on, and none before it', async () => {
  const sessions = memorySessions();
  function Chat(): ReactNode {
    const { id, sendMessage } = useAgent(agent);
    return <button onClick={() => void sendMessage('Hello')}>{`send to ${String(id)}`}</button>;
  }
  const stored = async (): Promise<string[]> => (await sessions.list()).sessions.map(({ id }) => id);
  // A reload is a new page, and it shows nothing of the pages before it.
  for (let reload = 0; reload < 3; reload++) {
    const { unmount } = render(page(sessions, <Chat />));
    await act(() => pause(20));
    unmount();
  }
  await pause(20);
  expect(await stored()).toEqual([]);
  render(page(sessions, [<Chat key="chat" />, <List key="list" />]));
  act(() => screen.getByText('send to null').click());
  await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
  const [id, ...more] = await stored();
  expect([screen.getByText(/^send to/).textContent, more]).toEqual([`send to ${id}`, []]);
});

it('a list needs no query client of the application', async () => {
  const sessions = memorySessions();
  render(
    <AgentProvider sessions={sessions}>
      <List />
    </AgentProvider>,
  );
  await act(() => say(sessions, 'Hello'));
  await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
  act(() => screen.getByText('rename Hello').click());
  await waitFor(() => expect(screen.getByText('delete Renamed')).toBeTruthy());
});

it('useSession follows writes without a list beside it, and the deletion of its session', async () => {
  const sessions = memorySessions();
  function One(): ReactNode {
    const { data } = useSession('one');
    return data ? `version ${data.version}` : 'none';
  }
  render(page(sessions, <One />));
  await waitFor(() => expect(document.body.textContent).toBe('none'));
  await act(() => say(sessions, 'Hello'));
  const stored = async (): Promise<string> => `version ${loadedSession(await sessions.load('one'))?.version}`;
  const first = await stored();
  await waitFor(() => expect(document.body.textContent).toBe(first));
  await act(() => say(sessions, 'Again'));
  expect(await stored()).not.toBe(first);
  await waitFor(async () => expect(document.body.textContent).toBe(await stored()));
  await act(() => sessions.remove('one'));
  await waitFor(() => expect(document.body.textContent).toBe('none'));
});

it('a rename in one of two stores renames the right session, whether it is open or not', async () => {
  const [left, right] = [memorySessions(), memorySessions()];
  function Chat({ sessions }: { readonly sessions: SessionStore }): ReactNode {
    const { messages } = useAgent(agent, { sessionId: 'one', sessions });
    return `${messages.length}`;
  }
  await say(left, 'Left');
  await say(right, 'Right');
  const chats = (
    <>
      <Chat sessions={left} />
      <Chat sessions={right} />
    </>
  );
  render(page(right, <List to="Right, renamed" />));
  const shown = render(chats);
  await waitFor(() => expect(screen.getByText('rename Right')).toBeTruthy());
  act(() => screen.getByText('rename Right').click());
  await waitFor(() => expect(screen.getByText('delete Right, renamed')).toBeTruthy());
  expect(loadedSession(await left.load('one'))?.title).toBe('Left');
  shown.unmount();
  cleanup();
  render(page(left, <List to="Left, renamed" />));
  await waitFor(() => expect(screen.getByText('rename Left')).toBeTruthy());
  act(() => screen.getByText('rename Left').click());
  await waitFor(() => expect(screen.getByText('delete Left, renamed')).toBeTruthy());
  expect(loadedSession(await right.load('one'))?.title).toBe('Right, renamed');
});

it('a session that is renamed while open keeps its title with the next message', async () => {
  const sessions = memorySessions();
  await say(sessions, 'Hello');
  function Chat(): ReactNode {
    const { messages, error, sendMessage } = useAgent(agent, { sessionId: 'one' });
    return (
      <button
        onClick={() => void sendMessage('Again')}
      >{`${messages.length} ${error?.code ?? 'fine'}`}</button>
    );
  }
  render(
    page(
      sessions,
      <>
        <List />
        <Chat />
      </>,
    ),
  );
  await waitFor(() => expect(screen.getByText('2 fine')).toBeTruthy());
  act(() => screen.getByText('rename Hello').click());
  await waitFor(() => expect(screen.getByText('delete Renamed')).toBeTruthy());
  act(() => screen.getByText('2 fine').click());
  await waitFor(() => expect(screen.getByText('4 fine')).toBeTruthy());
  await waitFor(async () => expect(loadedSession(await sessions.load('one'))?.version).toBeGreaterThan(2));
  expect(loadedSession(await sessions.load('one'))?.title).toBe('Renamed');
});

it('a deleted session leaves the list at once, shows its status where it is open, and can be restored', async () => {
  const sessions = memorySessions();
  await say(sessions, 'Hello');
  function Undo(): ReactNode {
    const remove = useDeleteSession();
    const { status } = useAgent(agent, { sessionId: 'one' });
    return (
      <>
        <button onClick={() => remove.mutate('one')}>delete</button>
        <button onClick={() => remove.restore.mutate('one')}>undo</button>
        <output>{status}</output>
      </>
    );
  }
  render(
    page(
      sessions,
      <>
        <List />
        <Undo />
      </>,
    ),
  );
  await waitFor(() => expect(screen.getByText('ready')).toBeTruthy());
  await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
  act(() => screen.getByText('delete').click());
  await waitFor(() => expect(screen.queryByText('rename Hello')).toBeNull());
  await waitFor(() => expect(screen.getByText('deleted')).toBeTruthy());
  expect(loadedSession(await sessions.load('one'))?.status).toBe('deleted');
  act(() => screen.getByText('undo').click());
  await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
  await waitFor(() => expect(screen.getByText('ready')).toBeTruthy());
});

it('a change is shown before it is written, and undone when writing fails', async () => {
  const sessions = memorySessions();
  await say(sessions, 'Hello');
  let fail: (error: Error) => void = () => undefined;
  const append = (): Promise<never> => new Promise((_resolve, reject) => (fail = reject));
  render(page({ ...sessions, append }, <List />));
  await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
  for (const button of ['rename Hello', 'delete Hello']) {
    act(() => screen.getByText(button).click());
    await waitFor(() => expect(screen.queryByText(button)).toBeNull());
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    act(() => fail(new Error('full')));
    await waitFor(() => expect(screen.getByText(button)).toBeTruthy());
  }
});

it('a list can be searched and read in pages, and an exported session can be imported', async () => {
  const sessions = memorySessions();
  for (const [at, text] of ['apples', 'pears', 'plums'].entries()) {
    const session = createAgentSession({ agent, sessions, sessionId: `s${at}` });
    await session.sendMessage(text);
    await session.dispose();
  }
  function Search({ search }: { readonly search?: string }): ReactNode {
    const { data, hasNextPage, fetchNextPage } = useSessions({ limit: 2, ...(search && { search }) });
    const give = useExportSession();
    const take = useImportSession();
    const copy = async (): Promise<void> => {
      const document = await give.mutateAsync('s1');
      await take.mutateAsync({ document: new Blob([JSON.stringify(document)]) });
    };
    return (
      <>
        <output>{data?.map(({ title }) => title).join(' ')}</output>
        {hasNextPage && <button onClick={() => void fetchNextPage()}>more</button>}
        <button onClick={() => void copy()}>copy</button>
      </>
    );
  }
  const shown = (): string => document.querySelector('output')?.textContent ?? '';
  const view = render(page(sessions, <Search />));
  await waitFor(() => expect(shown()).toBe('plums pears'));
  act(() => screen.getByText('more').click());
  await waitFor(() => expect(shown()).toBe('plums pears apples'));
  view.unmount();
  render(page(sessions, <Search search="PEA" />));
  await waitFor(() => expect(shown()).toBe('pears'));
  await act(async () => screen.getByText('copy').click());
  await waitFor(() => expect(shown()).toBe('pears pears'));
});

it('useSession applies the events after the snapshot to its state', async () => {
  const sessions = memorySessions();
  const session = createAgentSession({ agent, sessions, sessionId: 'one' });
  await session.sendMessage('Hello');
  await session.flush();
  expect(loadedSession(await sessions.load('one'))?.journal.tail.length).toBeGreaterThan(0);
  function One(): ReactNode {
    const { data } = useSession('one');
    return data ? AgentState.messages(data.state).map(Message.text).join(' ') : 'none';
  }
  render(page(sessions, <One />));
  await waitFor(() => expect(document.body.textContent).toBe('Hello x'));
  await session.dispose();
});
