import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react';
import { type AgentDefinition, createAgentSession, defineTool, loadedSession } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { memoryEffects } from '@vitrine/testing';
import { type ReactNode, StrictMode, useEffect, useLayoutEffect, useState } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agentOf, expectSilence, pause, slow } from '../fixtures/chat.tsx';
import { Notices } from '../components/notices.tsx';
import { AgentSessionProvider } from '../agent-session-provider.tsx';
import { useAgentSession } from './use-agent-state.ts';
import { useAgent, type UseAgentResult } from './use-agent.ts';

afterEach(cleanup);
const logged = expectSilence();

describe('useAgent in one component', () => {
  it('useAgent sends, streams and finishes, and resolves with the turn', async () => {
    const agent = agentOf([{ text: 'Hello' }]);
    const { result } = renderHook(() => useAgent(agent));
    expect(result.current).toMatchObject({ id: null, status: 'ready', draft: '', queue: [] });
    await act(async () => {
      expect(await result.current.sendMessage('Hi')).toMatchObject({
        status: 'done',
        outcome: 'completed',
        stopReason: 'completed',
      });
    });
    expect(result.current.id).toEqual(expect.any(String));
    expect(result.current.messages.map((message) => message.role)).toEqual(['user', 'assistant']);
    expect(result.current).toMatchObject({ status: 'ready', stopReason: 'completed', error: null });
    expect(result.current.activity).toEqual({ type: 'idle' });
    expect(result.current.budget.steps).toEqual({ spent: 1, limit: 20, left: 19 });
  });

  it('useAgent makes the calls of its runs through the effect log that it is given', async () => {
    const made: string[] = [];
    const log = memoryEffects();
    const effects: typeof log = {
      ...log,
      stream: (effect, work, signal) => (made.push(effect.key), log.stream(effect, work, signal)),
    };
    const { result } = renderHook(() => useAgent(agentOf([{ text: 'Hello' }]), { effects }));
    await act(() => result.current.sendMessage('Hi'));
    expect(result.current).toMatchObject({ status: 'ready', stopReason: 'completed' });
    expect(made).toEqual(['1/model/1']);
  });

  it('useAgent shows tool calls in its steps', async () => {
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

  it('useAgent runs once and calls the onFinish of the last render once under StrictMode', async () => {
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

  it('useAgent keeps the identity of its functions, and of its data when nothing changed', async () => {
    const agent = agentOf([{ text: 'x' }]);
    const { result, rerender } = renderHook(() => useAgent(agent));
    const before = result.current;
    const { sendMessage, stop, messages } = before;
    rerender();
    expect(result.current).toBe(before);
    expect(result.current.messages).toBe(messages);
    await act(() => sendMessage('Hi'));
    expect([result.current.sendMessage, result.current.stop]).toEqual([sendMessage, stop]);
  });

  it('a stopped run keeps the part of the answer that arrived', async () => {
    const agent = agentOf([{ text: 'abcdefgh', chunks: 8, delayMs: 500 }]);
    const { result } = renderHook(() => useAgent(agent));
    await act(async () => {
      const turn = result.current.sendMessage('Hi');
      await vi.waitFor(() => expect(result.current.messages).toHaveLength(2), { interval: 5, timeout: 4000 });
      void result.current.stop();
      await turn;
    });
    expect(result.current).toMatchObject({ status: 'ready', stopReason: 'user-requested' });
    expect(result.current.messages).toHaveLength(2);
  });

  it('a run can be stopped before its first word, and while a call waits for a person', async () => {
    const pay = defineTool({
      name: 'pay',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => 'paid',
    });
    const model = vi.fn(() =>
      model.mock.calls.length === 1
        ? { text: 'abcd', chunks: 4, delayMs: 2000 }
        : { toolCalls: [{ name: 'pay', input: {} }] },
    );
    const agent = agentOf([model], { tools: [pay] });
    const { result } = renderHook(() => useAgent(agent));
    expect(result.current).toMatchObject({ isBusy: false, canStop: false });
    await act(async () => {
      const turn = result.current.sendMessage('Hi');
      await vi.waitFor(() => expect(model).toHaveBeenCalledTimes(1));
      expect(result.current).toMatchObject({ status: 'submitted', isBusy: true, canStop: true });
      await result.current.stop();
      expect(await turn).toMatchObject({ stopReason: 'user-requested' });
    });
    expect(result.current).toMatchObject({ isBusy: false, canStop: false });
    await act(async () => void (await result.current.sendMessage('Pay')));
    expect(result.current).toMatchObject({ status: 'awaiting-input', isBusy: false, canStop: true });
    await act(async () => void (await result.current.stop()));
    expect(result.current).toMatchObject({ isBusy: false, canStop: false, stopReason: 'user-requested' });
  });

  it('useAgent with a session of the application continues that session with its draft', async () => {
    const session = createAgentSession({ agent: agentOf([{ text: 'x' }]) });
    await session.sendMessage('before');
    session.setDraft('half a sen');
    const { result } = renderHook(() => useAgent({ session }));
    await waitFor(() => expect(result.current.draft).toBe('half a sen'));
    expect(result.current.messages).toHaveLength(2);
    act(() => result.current.setDraft(''));
    await waitFor(() => expect(result.current.draft).toBe(''));
    await session.dispose();
  });
});

describe('the fields of useAgent', () => {
  it('a field makes a component render only if the component reads it', async () => {
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
    expect(renders.messages).toBeGreaterThan(20);
    await session.dispose();
  });

  it('a field that only handlers and effects read returns the current value and does not subscribe', async () => {
    const session = createAgentSession({ agent: agentOf([slow]), publish: 'immediate' });
    let renders = 0;
    const seen: number[] = [];
    function Chat(): ReactNode {
      renders++;
      const chat = useAgent({ session });
      useLayoutEffect(() => void chat.messages.length);
      useEffect(() => void chat.state);
      return <button onClick={() => seen.push(chat.messages.length)}>look</button>;
    }
    render(<Chat />, { wrapper: StrictMode });
    const look = screen.getByText('look');
    look.click();
    const before = renders;
    await act(() => session.sendMessage('Hi'));
    look.click();
    await act(() => session.sendMessage('Again'));
    expect(renders).toBe(before);
    expect(seen).toEqual([0, 2]);
    await session.dispose();
  });

  it('a field that the component no longer reads causes no more renders', async () => {
    const session = createAgentSession({ agent: agentOf([slow]), publish: 'immediate' });
    let renders = 0;
    function Chat(): ReactNode {
      renders++;
      const chat = useAgent({ session });
      const [isOpen, setOpen] = useState(true);
      return (
        <>
          <button onClick={() => setOpen(false)}>close</button>
          {isOpen && <p>{chat.messages.length} messages</p>}
        </>
      );
    }
    render(<Chat />);
    await act(() => session.sendMessage('Hi'));
    expect(screen.getByText('2 messages')).toBeTruthy();
    act(() => screen.getByText('close').click());
    const before = renders;
    await act(() => session.sendMessage('Hi'));
    // The field read last may cause one more render; after that there is no dependency.
    expect(renders - before).toBeLessThanOrEqual(1);
    await session.dispose();
  });

  it('a field that is first read in a later render returns the current value and is followed from then on', async () => {
    const session = createAgentSession({ agent: agentOf([{ text: 'x' }]), publish: 'immediate' });
    function Chat(): ReactNode {
      const chat = useAgent({ session });
      const [isOpen, setOpen] = useState(false);
      return isOpen ? (
        <p>{chat.messages.length} messages</p>
      ) : (
        <button onClick={() => setOpen(true)}>open</button>
      );
    }
    render(<Chat />);
    await act(() => session.sendMessage('Hi'));
    act(() => screen.getByText('open').click());
    expect(screen.getByText('2 messages')).toBeTruthy();
    await act(() => session.sendMessage('Hi'));
    expect(screen.getByText('4 messages')).toBeTruthy();
    await session.dispose();
  });

  it('a field whose new object has equal figures causes no render, as when agents are created while rendering', async () => {
    let renders = 0;
    function Chat(): ReactNode {
      renders++;
      const { budget, sendMessage } = useAgent(agentOf([{ text: 'x' }], { budget: { maxSteps: 5 } }));
      return <button onClick={() => void sendMessage('Hi')}>{budget.steps.spent}</button>;
    }
    render(<Chat />);
    act(() => screen.getByText('0').click());
    await waitFor(() => expect(screen.getByText('1')).toBeTruthy());
    await act(() => pause(50));
    const settled = renders;
    await act(() => pause(300));
    expect(renders - settled).toBeLessThanOrEqual(1);
  });
});

describe('the options that change', () => {
  it('a changed onBusy option applies to the next message', async () => {
    const agent = agentOf([slow]);
    const { result, rerender } = renderHook(({ onBusy }) => useAgent(agent, { onBusy }), {
      initialProps: { onBusy: 'queue' as 'queue' | 'reject' },
    });
    rerender({ onBusy: 'reject' });
    await act(async () => {
      const turn = result.current.sendMessage('first');
      await vi.waitFor(() => expect(result.current.messages).toHaveLength(2), { interval: 5 });
      expect(await result.current.sendMessage('second')).toMatchObject({ status: 'refused' });
      await turn;
    });
    expect(result.current.messages).toHaveLength(2);
  });

  it('a changed publish option applies from then on', async () => {
    const agent = agentOf([{ chunks: Array.from({ length: 20 }, () => 'x'), delayMs: 2 }]);
    let renders = 0;
    function useCounted(publish: number | 'immediate'): UseAgentResult {
      const chat = useAgent(agent, { publish });
      void chat.messages;
      renders++;
      return chat;
    }
    const { result, rerender } = renderHook(({ publish }) => useCounted(publish), {
      initialProps: { publish: 10_000 as number | 'immediate' },
    });
    rerender({ publish: 'immediate' });
    const before = renders;
    // Outside of act(), which would batch renders.
    (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = false;
    await result.current.sendMessage('Hi');
    (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
    await waitFor(() => expect(renders - before).toBeGreaterThan(10));
  });

  it('a resume option that is turned on continues a run that a reload interrupted', async () => {
    const sessions = memorySessions();
    const wait = defineTool({
      name: 'wait',
      description: '',
      input: z.object({}),
      effects: 'idempotent',
      execute: (_, { signal }) =>
        new Promise<string>((resolve, reject) => {
          if (isReloaded) resolve('done');
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    let isReloaded = false;
    const agent = agentOf([{ toolCalls: [{ name: 'wait', input: {} }] }, { text: 'after' }], {
      tools: [wait],
    });
    const interrupted = createAgentSession({ agent, sessions, sessionId: 'one' });
    void interrupted.sendMessage('Hi');
    await vi.waitFor(async () =>
      expect(loadedSession(await sessions.load('one'))?.executionStatus).toBe('in-progress'),
    );
    const record = loadedSession(await sessions.load('one'));
    isReloaded = true;
    // The store of a reloaded page: the record as it was written.
    const reloaded = memorySessions();
    await reloaded.save({ ...record!, version: 0 }, { expectedVersion: 0 });
    const { result, rerender } = renderHook(
      ({ resume }) => useAgent(agent, { sessionId: 'one', sessions: reloaded, resume }),
      { initialProps: { resume: false } },
    );
    await waitFor(() => expect(result.current.status).toBe('interrupted'));
    await act(() => pause(30));
    expect(result.current.status).toBe('interrupted');
    rerender({ resume: true });
    await waitFor(() => expect(result.current).toMatchObject({ status: 'ready', stopReason: 'completed' }));
    await interrupted.stop();
    await interrupted.dispose();
  });
});

describe('the error of a failed turn', () => {
  const noProxy =
    'There is no Vitrine proxy at POST http://localhost:5173/api/v1/inference (404): mount one.';
  const failing = (): AgentDefinition =>
    agentOf([{ error: { code: 'proxy-unreachable', message: noProxy, retryable: false } }]);
  const send = async ({ current }: { current: UseAgentResult }): Promise<void> => {
    await act(() => current.sendMessage('Hi'));
    await act(() => pause(80));
  };

  it('an error that no component reads is logged once for each turn, with the address and the remedy', async () => {
    const agent = failing();
    const { result } = renderHook(
      () => [useAgent(agent, { sessionId: 'unread' }), useAgent(agent, { sessionId: 'unread' })] as const,
      { wrapper: StrictMode },
    );
    await send({ current: result.current[0] });
    const [line, ...more] = await logged();
    expect(more).toEqual([]);
    expect(line).toContain(noProxy);
    expect(line).toMatch(
      /^Vitrine: a turn failed and no component shows it\. .*\(proxy-unreachable\)\n.*onError/s,
    );
    await send({ current: result.current[1] });
    expect(await logged()).toHaveLength(1);
  });

  it('an error of a session that the application created is logged too, unless it has an onError', async () => {
    const session = createAgentSession({ agent: failing() });
    await send(renderHook(() => useAgent({ session })).result);
    expect(await logged()).toEqual([expect.stringContaining(noProxy)]);
    const heard = createAgentSession({ agent: failing(), onError: () => undefined });
    await send(renderHook(() => useAgent({ session: heard })).result);
    expect(await logged()).toEqual([]);
  });

  it.each<[string, (agent: AgentDefinition) => UseAgentResult]>([
    ['reads `error`', (agent) => ({ ...useAgent(agent), error: null })],
    ['gives onError', (agent) => useAgent(agent, { onError: () => undefined })],
  ])('an error is not logged when the component %s', async (_, useIt) => {
    const agent = failing();
    const { result } = renderHook(() => useIt(agent));
    await send(result);
    expect(await logged()).toEqual([]);
  });

  it('an error is not logged when a notice of the components shows it', async () => {
    const agent = failing();
    const wrapper = ({ children }: { children: ReactNode }): ReactNode => (
      <AgentSessionProvider agent={agent} sessionId="shown">
        <Notices />
        {children}
      </AgentSessionProvider>
    );
    const { result } = renderHook(() => useAgentSession(), { wrapper });
    await act(() => result.current.sendMessage('Hi'));
    // The sentence of the notice is loaded on demand.
    expect((await screen.findByText(/There is no Vitrine proxy/)).textContent).toContain(noProxy);
    await act(() => pause(80));
    expect(await logged()).toEqual([]);
  });

  it('an error is never logged in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.resetModules();
    const { useAgent: useProductionAgent } = await import('./use-agent.ts');
    const agent = failing();
    const { result } = renderHook(() => useProductionAgent(agent));
    vi.unstubAllEnvs();
    await send(result);
    vi.resetModules();
    expect(await logged()).toEqual([]);
  });
});
