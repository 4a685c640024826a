import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';
import { agentOf } from '../../fixtures/chat.tsx';
import {
  AgentProvider,
  createAgentSession,
  memorySessions,
  type SessionStore,
  useSessions,
} from '../../index.ts';
import { useSessionDeletion } from './use-session-deletion.tsx';

afterEach(cleanup);

const errors: (Error | null)[] = [];

function List(): ReactNode {
  const { data = [] } = useSessions();
  const onError = (error: Error | null): void => void errors.push(error);
  const { remove, toast } = useSessionDeletion({ currentId: '', onOpen: () => undefined, onError });
  return (
    <>
      {data.map((session) => (
        <button key={session.id} onClick={() => remove(session)}>
          Delete {session.title}
        </button>
      ))}
      {toast}
    </>
  );
}

it('a deletion that could not be undone once can be undone again', async () => {
  const store = memorySessions();
  const session = createAgentSession({ agent: agentOf([{ text: 'Yes.' }]), sessions: store, sessionId: 's' });
  await session.sendMessage('One');
  await session.dispose();
  let isAway = false;
  const flaky: SessionStore = {
    ...store,
    load: async (id) => {
      if (isAway) throw new Error('no network');
      return store.load(id);
    },
  };
  render(
    <AgentProvider sessions={flaky}>
      <List />
    </AgentProvider>,
  );
  fireEvent.click(await screen.findByText('Delete One'));
  await waitFor(async () => expect((await store.list()).sessions).toEqual([]));
  isAway = true;
  fireEvent.click(await screen.findByText('Undo'));
  await waitFor(() => expect(errors.at(-1)?.message).toBe('no network'));
  isAway = false;
  fireEvent.click(await screen.findByText('Undo'));
  await waitFor(async () => expect((await store.list()).sessions).toMatchObject([{ id: 's' }]));
  expect(screen.queryByText('Undo')).toBeNull();
});
