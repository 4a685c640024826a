import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react';
import {
  type AgentInit,
  createAgentSession,
  defineAgent,
  defineTool,
  memorySessions,
  type ScriptedEntry,
  scriptedInference,
} from '@vitrine/core';
import { type ReactNode, StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { useAgent } from './use-agent.ts';

const agentOf = (script: ScriptedEntry[], init: Partial<AgentInit> = {}): ReturnType<typeof defineAgent> =>
  defineAgent({ name: 'a', systemPrompt: '', inference: scriptedInference(script), ...init });
const slow = { text: 'abcdefgh', chunks: 8, delayMs: 20 };

let complaints: ReturnType<typeof vi.spyOn>[] = [];
beforeEach(() => {
  complaints = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
});
afterEach(() => {
  cleanup();
  for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled();
});

describe('useAgent', () => {
  it('sends, streams and finishes', async () => {
    const agent = agentOf([{ text: 'Hello' }]);
    const { result } = renderHook(() => useAgent(agent));
    expect(result.current.status).toBe('ready');
    await act(async () => {
      expect(await result.current.sendMessage('Hi')).toEqual({
        status: 'completed',
        stopReason: 'completed',
      });
    });
    expect(result.current.messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(result.current).toMatchObject({ status: 'ready', stopReason: 'completed', error: null });
    expect(result.current.budget.steps).toEqual({ spent: 1, limit: 20, left: 19 });
  });

  it('shows tool calls among its steps', async () => {
    const add = defineTool({
      name: 'add',
      description: '',
      input: z.object({ a: z.number() }),
      execute: ({ a }) => a + 1,
    });
    const agent = agentOf([{ toolCalls: [{ name: 'add', input: { a: 1 } }] }, { text: 'two' }], {
      tools: [add],
    });
    const { result } = renderHook(() => useAgent(agent));
    await act(() => result.current.sendMessage('Hi'));
    expect(result.current.steps[0]?.toolExecutions[0]).toMatchObject({ status: 'completed', result: 2 });
  });

  it('runs once and tells the end once under StrictMode, with callbacks of the last render', async () => {
    const model = vi.fn(() => ({ text: 'x' }));
    const agent = agentOf([model]);
    const calls: string[] = [];
    let label = 'first';
    function Chat(): ReactNode {
      const now = label;
      const { sendMessage } = useAgent(agent, { onFinish: () => calls.push(now) });
      return <button onClick={() => void sendMessage('Hi')}>send</button>;
    }
    const view = render(<Chat />, { wrapper: StrictMode });
    label = 'second';
    view.rerender(<Chat />);
    act(() => screen.getByText('send').click());
    await waitFor(() => expect(calls).toEqual(['second']));
    expect(model).toHaveBeenCalledTimes(1);
  });

  it('keeps its functions, and its data where nothing changed', async () => {
    const agent = agentOf([{ text: 'x' }]);
    const { result, rerender } = renderHook(() => useAgent(agent));
    const { sendMessage, stop, messages } = result.current;
    rerender();
    expect([result.current.sendMessage, result.current.stop, result.current.messages]).toEqual([
      sendMessage,
      stop,
      messages,
    ]);
    await act(() => sendMessage('Hi'));
    expect(result.current.sendMessage).toBe(sendMessage);
  });

  it('renders a component again only for what it has read', async () => {
    const agent = agentOf([{ chunks: Array.from({ length: 30 }, (_, index) => `${index} `), delayMs: 1 }]);
    const session = createAgentSession({ agent, publish: 'immediate' });
    const renders = { status: 0, messages: 0 };
    function Status(): ReactNode {
      renders.status++;
      return <p>{useAgent({ session }).status}</p>;
    }
    function Messages(): ReactNode {
      renders.messages++;
      return <p>{useAgent({ session }).messages.length}</p>;
    }
    render(
      <>
        <Status />
        <Messages />
      </>,
    );
    await act(() => session.sendMessage('Hi'));
    expect(renders.status).toBeLessThanOrEqual(6);
    expect(renders.messages).toBeGreaterThan(renders.status);
    await session.dispose();
  });

  it('shares a session among components that name it, and leaves a run alone when they go', async () => {
    const sessions = memorySessions();
    const agent = agentOf([slow]);
    function Part({ name }: { readonly name: string }): ReactNode {
      const { messages, sendMessage } = useAgent(agent, { sessionId: 'shared', sessions });
      return <button onClick={() => void sendMessage('Hi')}>{`${name}${messages.length}`}</button>;
    }
    const view = render(
      <>
        <Part name="a" />
        <Part name="b" />
      </>,
    );
    await act(async () => screen.getByText('a0').click());
    await waitFor(() => expect(screen.getByText('b2')).toBeTruthy());
    view.unmount();
    await waitFor(async () => expect((await sessions.load('shared'))?.executionStatus).toBe('completed'), {
      timeout: 3000,
    });
  });

  it('keeps a stream in its own session when another one is shown', async () => {
    const agent = agentOf([slow]);
    const { result, rerender } = renderHook(({ id }) => useAgent(agent, { sessionId: id }), {
      initialProps: { id: 'one' },
    });
    let turn: Promise<unknown> = Promise.resolve();
    await act(async () => {
      turn = result.current.sendMessage('Hi');
      await new Promise((resolve) => setTimeout(resolve, 40));
    });
    rerender({ id: 'two' });
    expect(result.current.messages).toEqual([]);
    await act(() => turn);
    expect(result.current.messages).toEqual([]);
    rerender({ id: 'one' });
    await waitFor(() => expect(result.current.messages).toHaveLength(2));
  });

  it('records a stop and keeps the part that came', async () => {
    const agent = agentOf([slow]);
    const { result } = renderHook(() => useAgent(agent));
    await act(async () => {
      const turn = result.current.sendMessage('Hi');
      await vi.waitFor(() => expect(result.current.status).toBe('streaming'), { interval: 5 });
      result.current.stop();
      await turn;
    });
    expect(result.current).toMatchObject({ status: 'ready', stopReason: 'user-requested' });
    expect(result.current.messages).toHaveLength(2);
  });

  it('renders on a server, and hydrates without a word', async () => {
    const agent = agentOf([{ text: 'x' }]);
    const Chat = (): ReactNode => <p>{useAgent(agent).messages.length} messages</p>;
    const html = renderToString(<Chat />);
    const host = document.body.appendChild(document.createElement('div'));
    host.innerHTML = html;
    const root = await act(async () => hydrateRoot(host, <Chat />));
    expect(host.textContent).toBe('0 messages');
    act(() => root.unmount());
    host.remove();
  });
});
