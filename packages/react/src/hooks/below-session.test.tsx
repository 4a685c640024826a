import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react';
import {
  type AgentDefinition,
  type AgentSession as SessionController,
  AgentState,
  createAgentSession,
  definePlugin,
  defineTool,
} from '@vitrine/core';
import { type ReactNode, StrictMode } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { AgentSessionProvider } from '../agent-session-provider.tsx';
import { agentOf, expectSilence, pause, slow } from '../fixtures/chat.tsx';
import {
  useActivity,
  useAgentStatus,
  useBudget,
  usePendingApprovals,
  useQueue,
  useSteps,
  useStopSignals,
  useUsage,
} from '../field-hooks.ts';
import { useAgentOutput, useAgentSession, useAgentState } from './use-agent-state.ts';
import { usePluginState } from './use-plugin-state.ts';
import { useAgent } from './use-agent.ts';
import { useMessageIds } from './use-message.ts';
import { useTool } from './use-tool.ts';

afterEach(cleanup);
const takeWarnings = expectSilence();

/** Renders a hook below `<AgentSessionProvider>` and returns its values and the session. */
function below<Value>(
  agent: AgentDefinition,
  hook: () => Value,
): { readonly seen: Value[]; readonly value: () => Value; readonly session: SessionController } {
  const session = createAgentSession({ agent, publish: 'immediate' });
  const seen: Value[] = [];
  const { result } = renderHook(
    () => {
      const value = hook();
      seen.push(value);
      return value;
    },
    { wrapper: ({ children }) => <AgentSessionProvider session={session}>{children}</AgentSessionProvider> },
  );
  return { seen, value: () => result.current, session };
}

const add = defineTool({
  name: 'add',
  description: '',
  input: z.object({ a: z.number() }),
  execute: ({ a }) => a + 1,
});

describe('the hooks below <AgentSessionProvider>', () => {
  it('useAgentStatus returns the status, the error and the title', async () => {
    const { value, session } = below(
      agentOf([{ error: { message: 'no', code: 'upstream-error' } }]),
      useAgentStatus,
    );
    expect(value()).toEqual({ status: 'ready', error: null, title: '' });
    await act(() => session.sendMessage('A question'));
    expect(value()).toMatchObject({ status: 'error', error: { message: 'no' }, title: 'A question' });
    act(() => session.clearError());
    await waitFor(() => expect(value()).toMatchObject({ status: 'ready', error: null }));
  });

  it('useActivity goes from thinking to answering to idle', async () => {
    const { seen, session } = below(agentOf([slow]), useActivity);
    await act(() => session.sendMessage('Hi'));
    expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(['idle', 'thinking', 'answering']));
    expect(seen.at(-1)).toEqual({ type: 'idle' });
  });

  it('useQueue returns the queued messages', async () => {
    const { value, session } = below(agentOf([slow]), useQueue);
    let turns: Promise<unknown>[] = [];
    act(() => void (turns = [session.sendMessage('first'), session.sendMessage('second')]));
    await waitFor(() => expect(value().map(({ text }) => text)).toEqual(['second']));
    await act(() => Promise.all(turns));
    expect(value()).toEqual([]);
  });

  it('useSteps, useUsage, useBudget, useStopSignals and usePendingApprovals return the values of the run', async () => {
    const ask = defineTool({
      name: 'ask',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute: () => 1,
    });
    const agent = agentOf(
      [
        {
          toolCalls: [{ name: 'ask', input: {} }],
          usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
        },
        { text: 'done' },
      ],
      { tools: [ask], budget: { maxSteps: 5 } },
    );
    const { value, session } = below(agent, () => ({
      steps: useSteps().length,
      tokens: useUsage().totalTokens,
      left: useBudget().steps.left,
      signals: useStopSignals().map(({ reason }) => reason),
      pending: usePendingApprovals(),
    }));
    await act(() => session.sendMessage('Hi'));
    expect(value()).toMatchObject({ steps: 1, tokens: 7, pending: [{ status: 'awaiting-approval' }] });
    await act(() => session.approve(value().pending[0]!.id));
    expect(value()).toMatchObject({ steps: 2, left: 3, signals: ['completed'], pending: [] });
  });

  it('a hook outside of <AgentSessionProvider> throws an error that says what to wrap', async () => {
    expect(() => renderHook(useMessageIds)).toThrow(/wrap the component in <AgentSessionProvider/);
    await takeWarnings();
  });

  it('a session created by <AgentSessionProvider> is available to its hooks and to useAgent', async () => {
    const agent = agentOf([{ text: 'x' }]);
    function Inside(): ReactNode {
      const session = useAgentSession();
      const { messages } = useAgent({ session });
      return <button onClick={() => void session.sendMessage('Hi')}>{messages.length}</button>;
    }
    render(
      <AgentSessionProvider agent={agent} publish="immediate">
        <Inside />
      </AgentSessionProvider>,
    );
    act(() => screen.getByText('0').click());
    await waitFor(() => expect(screen.getByText('2')).toBeTruthy());
  });
});

describe('useAgentState with selectors', () => {
  it('useAgentState accepts selectors that build values, and renders only when the values differ', async () => {
    const { seen, session } = below(agentOf([slow]), () =>
      useAgentState((state) => ({ steps: AgentState.stepCount(state), roles: AgentState.status(state) })),
    );
    await act(() => session.sendMessage('Hi'));
    expect(seen.at(-1)).toEqual({ steps: 1, roles: 'completed' });
    expect(seen.length).toBeLessThan(8);
  });

  it('useAgentState compares with the given equality', async () => {
    const { seen, session } = below(agentOf([slow]), () =>
      useAgentState(
        (state) => state,
        () => true,
      ),
    );
    await act(() => session.sendMessage('Hi'));
    expect(new Set(seen).size).toBe(1);
  });

  it('useAgentState warns once about a selector that never settles, and neither crashes nor loops', async () => {
    let renders = 0;
    const session = createAgentSession({ agent: agentOf([slow]), publish: 'immediate' });
    function Restless(): ReactNode {
      renders++;
      return useAgentState(() => [{}]).length;
    }
    render(
      <StrictMode>
        <AgentSessionProvider session={session}>
          <Restless />
        </AgentSessionProvider>
      </StrictMode>,
    );
    await act(() => pause(30));
    expect(renders).toBeLessThan(10);
    await act(() => session.sendMessage('Hi'));
    expect(renders).toBeLessThan(100);
    expect(await takeWarnings()).toEqual([
      expect.stringContaining('a selector returns a new value each time'),
    ]);
    await session.dispose();
  });
});

describe('usePluginState with a plugin', () => {
  const plugin = definePlugin({ id: 'count', state: z.int(), initial: 0 });

  it('usePluginState reads, selects, writes valid values and rejects invalid ones', async () => {
    const { value } = below(agentOf([{}], { plugins: [plugin] }), () => ({
      whole: usePluginState(plugin),
      part: usePluginState(plugin, (count = 0) => ({ isOdd: count % 2 === 1 })),
    }));
    const [, update] = value().whole;
    await act(() => update((count = 0) => count + 1));
    expect(value().whole[0]).toBe(1);
    expect(value().part[0]).toEqual({ isOdd: true });
    expect(value().whole[1]).toBe(update);
    await expect(update(() => 0.5)).rejects.toMatchObject({ code: 'plugin-state-invalid' });
    expect(value().whole[0]).toBe(1);
  });

  it('usePluginState writes while the agent runs', async () => {
    const { value, session } = below(agentOf([slow], { plugins: [plugin] }), () => usePluginState(plugin));
    await act(async () => {
      const turn = session.sendMessage('Hi');
      await vi.waitFor(() => expect(session.store.getState().status).toBe('streaming'), { interval: 5 });
      await value()[1](() => 7);
      expect(session.store.getState().status).toBe('streaming');
      await turn;
    });
    expect(value()[0]).toBe(7);
    expect(session.store.getState().error).toBeNull();
  });
});

describe('useTool with one tool', () => {
  it('useTool returns the calls of one tool and answers those that wait for the interface', async () => {
    const ask = defineTool({
      name: 'ask',
      description: '',
      input: mini.object({ question: mini.string() }),
      output: mini.string(),
    });
    const agent = agentOf(
      [
        {
          toolCalls: [
            { name: 'ask', input: { question: 'How many?' } },
            { name: 'add', input: { a: 1 } },
          ],
        },
        { text: 'done' },
      ],
      { tools: [ask, add] },
    );
    const { value, session } = below(agent, () => useTool(ask));
    await act(() => session.sendMessage('Hi'));
    expect(value().pending).toMatchObject([{ status: 'awaiting-output', input: { question: 'How many?' } }]);
    await act(() => value().respond(value().pending[0]!.toolCallId, 'seven'));
    expect(value().pending).toEqual([]);
    expect(value().finished).toMatchObject([{ toolName: 'ask', status: 'completed', output: 'seven' }]);
  });

  it('useTool does not render for calls of other tools', async () => {
    const agent = agentOf([{ toolCalls: [{ name: 'add', input: { a: 1 } }] }, slow], { tools: [add] });
    const { seen, session } = below(agent, () => useTool('other'));
    await act(() => session.sendMessage('Hi'));
    expect(seen).toHaveLength(1);
  });
});

describe('the structured output of an agent', () => {
  const schema = z.object({ title: z.string(), parts: z.array(z.number()) });
  const text = '{"title":"Soup","parts":[1,2,3]}';
  const agent = agentOf([{ text, chunks: 16, delayMs: 2 }], { responseFormat: schema });

  it('useAgentOutput returns partial output while it streams and the final output when it is valid', async () => {
    const { seen, value, session } = below(agent, () => useAgentOutput(schema));
    expect(value()).toEqual({ partial: null, final: null });
    await act(() => session.sendMessage('Hi'));
    const parts = seen.map(({ partial }) => JSON.stringify(partial?.parts ?? null));
    expect(parts).toEqual(expect.arrayContaining(['null', '[1]', '[1,2]', '[1,2,3]']));
    expect(seen.filter(({ final }) => final !== null).length).toBeGreaterThan(0);
    expect(value()).toEqual({ partial: JSON.parse(text), final: JSON.parse(text) });
  });

  it('useAgent returns the structured output too, and null for an agent without a schema', async () => {
    const { result } = renderHook(() => useAgent(agent));
    await act(() => result.current.sendMessage('Hi'));
    expect(result.current.output).toMatchObject({ final: { title: 'Soup', parts: [1, 2, 3] } });
    const plain = renderHook(() => useAgent(agentOf([{}])));
    expect(plain.result.current.output).toBeNull();
  });
});
