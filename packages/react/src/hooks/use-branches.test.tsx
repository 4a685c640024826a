import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type AgentSession as SessionController, Message } from '@vitrine/core';
import { Activity, memo, type ReactNode, StrictMode } from 'react';
import { afterEach, expect, it } from 'vitest';
import { AgentSessionProvider } from '../agent-session-provider.tsx';
import { agentOf, expectSilence, pause, slow } from '../fixtures/chat.tsx';
import { useAgent } from './use-agent.ts';
import { useAgentSession } from './use-agent-state.ts';
import { useBranches } from './use-branches.ts';
import { useMessage, useMessageIds } from './use-message.ts';

afterEach(cleanup);
expectSilence();

const renders = new Map<string, number>();
let session: SessionController;

const Row = memo(function Row({ id }: { readonly id: string }): ReactNode {
  renders.set(id, (renders.get(id) ?? 0) + 1);
  const message = useMessage(id);
  const { index, count, previous, next } = useBranches(id);
  return (
    <p>
      {message && Message.text(message)} {index + 1}/{count}
      <button disabled={previous === null} onClick={() => void previous?.()}>
        before
      </button>
      <button disabled={next === null} onClick={() => void next?.()}>
        after
      </button>
    </p>
  );
});
function List(): ReactNode {
  session = useAgentSession();
  return useMessageIds().map((id) => <Row key={id} id={id} />);
}
const rows = (): string[] =>
  [...document.querySelectorAll('p')].map(
    (row) => row.firstChild?.parentNode?.textContent?.replace('beforeafter', '') ?? '',
  );

it('useBranches counts the alternatives of a message, and its arrows switch between them', async () => {
  const agent = agentOf([{ text: 'first' }, { text: 'second' }, { text: 'third' }]);
  render(
    <StrictMode>
      <AgentSessionProvider agent={agent}>
        <List />
      </AgentSessionProvider>
    </StrictMode>,
  );
  await act(() => session.sendMessage('one'));
  const id = session.store.getState().state.context.store.sections[0]?.messages[0]?.id ?? '';
  expect(rows()).toEqual(['one 1/1', 'first 1/1']);
  await act(() => session.edit(id, 'uno'));
  await act(() => session.regenerate());
  expect(rows()).toEqual(['uno 2/2', 'third 2/2']);
  await act(async () => void fireEvent.click(screen.getAllByText('before')[0] as Element));
  await waitFor(() => expect(rows()).toEqual(['one 1/2', 'first 1/1']));
  expect(screen.getAllByText('before')[0]).toHaveProperty('disabled', true);
  await act(async () => void fireEvent.click(screen.getAllByText('after')[0] as Element));
  await waitFor(() => expect(rows()).toEqual(['uno 2/2', 'third 2/2']));
});

it('useBranches renders no row of the history while an answer streams, not even after an edit', async () => {
  const agent = agentOf([{ text: 'first' }, { text: 'second' }, slow]);
  render(
    <AgentSessionProvider agent={agent} publish="immediate">
      <List />
    </AgentSessionProvider>,
  );
  await act(() => session.sendMessage('one'));
  const id = session.store.getState().state.context.store.sections[0]?.messages[0]?.id ?? '';
  await act(() => session.edit(id, 'uno'));
  const history = session.store.getState().state.context.store.sections[0]?.messages ?? [];
  renders.clear();
  await act(() => session.sendMessage('more'));
  expect(history).toHaveLength(2);
  for (const message of history) expect(renders.get(message.id)).toBeUndefined();
});

it('useBranches outside of a session throws an error that names it', () => {
  expect(() => render(<Row id="a" />)).toThrow(/useBranches needs a session|useMessage needs a session/);
});

it('a component that reads branches renders again for a new branch, and can fork into a session of the page', async () => {
  const agent = agentOf([{ text: 'first' }, { text: 'second' }]);
  let chat!: ReturnType<typeof useAgent>;
  function Chat({ id }: { readonly id?: string }): ReactNode {
    const own = useAgent(agent, id === undefined ? {} : { sessionId: id });
    if (id === undefined) chat = own;
    const last = own.messages[0];
    return (
      <ul aria-label={id ?? 'own'}>
        {own.messages.map((message) => (
          <li key={message.id}>{Message.text(message)}</li>
        ))}
        <li>{last && own.branches(last.id).ids.length}</li>
      </ul>
    );
  }
  const textsOf = (name: string): string[] =>
    [...screen.getByLabelText(name).querySelectorAll('li')].map((item) => item.textContent ?? '');
  const { rerender } = render(<Chat />);
  await act(() => chat.sendMessage('one'));
  expect(textsOf('own')).toEqual(['one', 'first', '1']);
  await act(() => chat.edit(chat.messages[0]?.id ?? '', 'uno'));
  expect(textsOf('own')).toEqual(['uno', 'second', '2']);
  const fork = await chat.fork({ messageId: chat.messages[0]?.id ?? '' });
  rerender(
    <>
      <Chat />
      <Chat id={fork} />
    </>,
  );
  await waitFor(() => expect(textsOf(fork)).toEqual(['uno', '1']));
});

it('an anonymous session keeps its branches when it is hidden and shown again', async () => {
  const agent = agentOf([{ text: 'first' }, { text: 'second' }]);
  let chat!: ReturnType<typeof useAgent>;
  function Chat(): ReactNode {
    chat = useAgent(agent);
    return chat.messages.length;
  }
  const page = (mode: 'visible' | 'hidden'): ReactNode => (
    <Activity mode={mode}>
      <Chat />
    </Activity>
  );
  const { rerender } = render(page('visible'));
  await act(() => chat.sendMessage('one'));
  const [first] = chat.messages;
  await act(() => chat.edit(first?.id ?? '', 'uno'));
  rerender(page('hidden'));
  await act(() => pause(30));
  rerender(page('visible'));
  expect(chat.branches(chat.messages[0]?.id ?? '').ids).toHaveLength(2);
  await act(() => chat.switchBranch(first?.id ?? ''));
  expect(chat.messages.map((message) => Message.text(message))).toEqual(['one', 'first']);
});
