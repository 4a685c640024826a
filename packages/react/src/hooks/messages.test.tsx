import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import {
  AgentState,
  type AgentSession as SessionController,
  type ChatMessage,
  Conversation,
  createAgentSession,
  Message,
} from '@vitrine/core';
import { memo, Profiler, type ReactNode, useEffect } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AgentSessionProvider } from '../agent-session-provider.tsx';
import { agentOf, expectSilence, slow } from '../fixtures/chat.tsx';
import { messageChannel } from '../message-channel.ts';
import { useAgentSession } from './use-agent-state.ts';
import { useMessage, useMessageIds, useStreamingMessage } from './use-message.ts';

afterEach(cleanup);
expectSilence();

const textOf = ({ parts }: ChatMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
const history = (count: number): AgentState =>
  AgentState.create({
    messages: Array.from({ length: count }, (_, index) => Message.user(`old ${index}`)),
  });

type View = {
  readonly page: ReactNode;
  /** Render calls by message id, and commits by `commit of <id>`. */
  readonly renders: Map<string, number>;
  readonly commits: () => number;
  readonly session: () => SessionController;
};

/** A list whose rows count their render calls and commits, even when the output stays the same. */
function chat(deltas: number, options: { delayMs?: number; messages?: number } = {}): View {
  const { delayMs = 0, messages = 100 } = options;
  const agent = agentOf([{ text: 'warm' }, { chunks: Array.from({ length: deltas }, () => 'x'), delayMs }]);
  const initialState = history(messages);
  const renders = new Map<string, number>();
  const count = (what: string): void => void renders.set(what, (renders.get(what) ?? 0) + 1);
  let commits = 0;
  let session: SessionController | null = null;
  const Row = memo(function Row({ id }: { readonly id: string }): ReactNode {
    count(id);
    const message = useMessage(id);
    useEffect(() => count(`commit of ${id}`));
    return <p data-testid="row">{message && textOf(message)}</p>;
  });
  function List(): ReactNode {
    session = useAgentSession();
    return useMessageIds().map((id) => <Row key={id} id={id} />);
  }
  const page = (
    <Profiler id="chat" onRender={() => commits++}>
      <AgentSessionProvider agent={agent} initialState={initialState}>
        <List />
      </AgentSessionProvider>
    </Profiler>
  );
  return { page, renders, commits: () => commits, session: () => session! };
}

/** Runs work outside of act(), so that React schedules as in a page. */
async function asInAPage(work: () => Promise<void>): Promise<void> {
  const page = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  page.IS_REACT_ACT_ENVIRONMENT = false;
  await work();
  page.IS_REACT_ACT_ENVIRONMENT = true;
}

const lastRow = (): string => screen.getAllByTestId('row').at(-1)?.textContent ?? '';

describe('a streaming message', () => {
  it('a message of the history does not render again, for any number of deltas', async () => {
    const { page, renders, session } = chat(2000, { delayMs: 0.1 });
    render(page);
    await act(() => session().sendMessage('warm up'));
    const before = new Map(renders);
    await asInAPage(async () => {
      await session().sendMessage('Hi');
      await waitFor(() => expect(lastRow()).toBe('x'.repeat(2000)), { timeout: 5000 });
    });
    for (const [id, count] of before) expect(renders.get(id), id).toBe(count);
    // The streaming message did render, so the count works.
    const streamed = Conversation.messageIds(session().store.getState().state).at(-1) ?? '';
    expect(renders.get(streamed)).toBeGreaterThan(3);
  }, 20_000);

  it('deltas that arrive together render together: 500 deltas of one chunk take at most four commits', async () => {
    const { page, commits, session } = chat(500);
    render(page);
    await act(() => session().sendMessage('warm up'));
    const committed = commits();
    await asInAPage(async () => {
      await session().sendMessage('Hi');
      await waitFor(() => expect(lastRow()).toBe('x'.repeat(500)));
    });
    expect(commits() - committed).toBeLessThanOrEqual(4);
  });

  it('5,000 deltas in one task cause no warning of React', async () => {
    const { page, session } = chat(5000);
    render(page);
    await act(() => session().sendMessage('warm up'));
    await act(() => session().sendMessage('Hi'));
    expect(lastRow()).toHaveLength(5000);
  });

  it('a change notifies only the reader of the changed message, with any number of messages on the page', async () => {
    const session = createAgentSession({
      agent: agentOf([slow]),
      initialState: history(10_000),
      publish: 'immediate',
    });
    const { store } = session;
    const subscribe = vi.spyOn(store, 'subscribe');
    const channel = messageChannel(store);
    const asked = vi.fn();
    const leave = Conversation.messageIds(store.getState().state).map((id) => channel.subscribe(id, asked));
    const frames = vi.fn();
    const stop = store.subscribe(frames);
    await session.sendMessage('Hi');
    expect(frames.mock.calls.length).toBeGreaterThan(8);
    expect(asked).not.toHaveBeenCalled();
    expect(subscribe).toHaveBeenCalledTimes(2);
    for (const end of leave) end();
    stop();
    await session.dispose();
  });
});

describe('a single message', () => {
  it('useStreamingMessage follows a message from its first delta to its end, and useMessage returns null for an unknown id', async () => {
    const session = createAgentSession({ agent: agentOf([slow]), publish: 'immediate' });
    const seen: (string | null)[] = [];
    function Streaming(): ReactNode {
      const message = useStreamingMessage();
      seen.push(message && textOf(message));
      return useMessage('nobody') === null && 'nobody';
    }
    render(
      <AgentSessionProvider session={session}>
        <Streaming />
      </AgentSessionProvider>,
    );
    await act(() => session.sendMessage('Hi'));
    expect(screen.getByText('nobody')).toBeTruthy();
    expect([seen.at(0), seen.at(-1)]).toEqual([null, null]);
    expect(seen).toContain('abc');
    await session.dispose();
  });

  it('useMessage follows a message that is replaced or removed', async () => {
    const initialState = history(3);
    const session = createAgentSession({ agent: agentOf([{}]), initialState, publish: 'immediate' });
    const [first = '', second = ''] = Conversation.messageIds(initialState);
    function Two(): ReactNode {
      return [useMessage(first), useMessage(second)]
        .map((message) => (message ? textOf(message) : 'gone'))
        .join();
    }
    render(
      <AgentSessionProvider session={session}>
        <Two />
      </AgentSessionProvider>,
    );
    expect(document.body.textContent).toBe('old 0,old 1');
    await act(() =>
      session.setMessages(([message]) => [
        { ...message!, parts: [{ type: 'text', text: 'new', providerMetadata: null }] } as never,
      ]),
    );
    expect(document.body.textContent).toBe('new,gone');
    await session.dispose();
  });
});
