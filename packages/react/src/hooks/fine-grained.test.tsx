import { QueryClient } from '@tanstack/react-query';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import {
  AgentState,
  createAgentSession,
  defineAgent,
  definePlugin,
  memorySessions,
  Message,
  scriptedInference,
  type SessionStore,
} from '@vitrine/core';
import { memo, Profiler, type ReactNode } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { AgentProvider } from '../agent-provider.tsx';
import { AgentSession } from '../agent-session.tsx';
import { useAgentSession } from './use-agent-session.ts';
import { useDeleteSession } from '../stored/use-delete-session.ts';
import { useMessageIds } from './use-message-ids.ts';
import { useMessage } from './use-message.ts';
import { usePluginState } from './use-plugin-state.ts';
import { useRenameSession } from '../stored/use-rename-session.ts';
import { useSessions } from '../stored/use-sessions.ts';

afterEach(cleanup);


function chatWithHistory(deltas: number): {
  view: ReactNode;
  renders: Map<string, number>;
  commits: () => number;
  session: () => ReturnType<typeof useAgentSession>;
} {
  const chunks = Array.from({ length: deltas }, () => 'x');
  const agent = defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference([{ chunks }]) });
  const initialState = AgentState.create({
    messages: Array.from({ length: 100 }, (_, index) => Message.user(`${index}`, { id: `old-${index}` })),
  });
  const renders = new Map<string, number>();
  let commits = 0;
  let session: ReturnType<typeof useAgentSession> | null = null;
  const Item = memo(function Item({ id }: { readonly id: string }): ReactNode {
    renders.set(id, (renders.get(id) ?? 0) + 1);
    const message = useMessage(id);
    return <p data-testid={id.startsWith('old') ? 'old' : 'new'}>{message && textOf(message)}</p>;
  });
  function List(): ReactNode {
    session = useAgentSession();
    return useMessageIds().map((id) => <Item key={id} id={id} />);
  }
  const view = (
    <Profiler id="chat" onRender={() => commits++}>
      <AgentSession agent={agent} initialState={initialState}>
        <List />
      </AgentSession>
    </Profiler>
  );
  return { view, renders, commits: () => commits, session: () => session! };
}

describe('while one message streams', () => {
  it('no message of the history renders again, and 500 deltas of one chunk take at most four commits', async () => {
    const { view, renders, commits, session } = chatWithHistory(500);
    render(view);
    await act(() => session().sendMessage('warm up'));
    const [before, committed] = [new Map(renders), commits()];
    // Outside act(), as in a page: React schedules by itself.
    (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = false;
    await session().sendMessage('Hi');
    await waitFor(() => expect(screen.getAllByTestId('new').at(-1)?.textContent).toBe('x'.repeat(500)));
    (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
    for (const [id, count] of before) expect(renders.get(id), id).toBe(count);
    expect(commits() - committed).toBeLessThanOrEqual(4);
  });

  it('5,000 deltas in one task bring no complaint', async () => {
    const complaint = vi.spyOn(console, 'error');
    const { view, session } = chatWithHistory(5000);
    render(view);
    await act(() => session().sendMessage('Hi'));
    expect(screen.getAllByTestId('new').at(-1)?.textContent).toHaveLength(5000);
    expect(complaint).not.toHaveBeenCalled();
    complaint.mockRestore();
  });
});

describe('a hook outside of its session', () => {
  it('says what to wrap', () => {
    const complaint = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const Lost = (): ReactNode => useMessageIds().length;
    expect(() => render(<Lost />)).toThrow(/wrap the component in <AgentSession/);
    complaint.mockRestore();
  });
});

describe('usePluginState', () => {
  it('reads, writes what is valid, and refuses the rest', () => {
    const plugin = definePlugin({ id: 'count', state: z.int(), initial: 0 });
    const agent = defineAgent({
      name: 'a',
      systemPrompt: '',
      inference: scriptedInference([{}]),
      plugins: [plugin],
    });
    let set: (update: (value: number | undefined) => number) => void = () => undefined;
    function Count(): ReactNode {
      const [count, update] = usePluginState(plugin);
      set = update;
      return <p>count {count}</p>;
    }
    render(
      <AgentSession agent={agent} publish="immediate">
        <Count />
      </AgentSession>,
    );
    act(() => set((value = 0) => value + 1));
    expect(screen.getByText('count 1')).toBeTruthy();
    expect(() => set(() => 0.5)).toThrow(expect.objectContaining({ code: 'plugin-state-invalid' }));
  });
});

describe('the list of sessions', () => {
  function List(): ReactNode {
    const { data } = useSessions();
    const remove = useDeleteSession();
    const rename = useRenameSession();
    return data?.map(({ id, title }) => (
      <p key={id}>
        {title}
        <button onClick={() => remove.mutate(id)}>delete {title}</button>
        <button onClick={() => rename.mutate({ id, title: 'Renamed' })}>rename {title}</button>
      </p>
    ));
  }

  async function stored(sessions: SessionStore): Promise<void> {
    const agent = defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference([{ text: 'x' }]) });
    const session = createAgentSession({ agent, sessions, sessionId: 'one' });
    await session.sendMessage('Hello');
    await session.dispose();
  }

  it('follows what is stored, renamed and deleted', async () => {
    const sessions = memorySessions();
    render(
      <AgentProvider sessions={sessions} queryClient={new QueryClient()}>
        <List />
      </AgentProvider>,
    );
    await stored(sessions);
    await waitFor(() => expect(screen.getByText('rename Hello')).toBeTruthy());
    act(() => screen.getByText('rename Hello').click());
    await waitFor(() => expect(screen.getByText('delete Renamed')).toBeTruthy());
    act(() => screen.getByText('delete Renamed').click());
    await waitFor(() => expect(screen.queryByText('delete Renamed')).toBeNull());
  });
});
