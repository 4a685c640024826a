import { act, cleanup, render, renderHook, waitFor } from '@testing-library/react';
import { definePlugin } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { type ReactNode, StrictMode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { agentOf, expectSilence } from './fixtures/chat.tsx';
import { useAgent, type UseAgentResult } from './hooks/use-agent.ts';

afterEach(cleanup);
expectSilence();

/** A plugin that notes what it opens and closes, and fails its first attempts. */
function linePlugin(failures = 0) {
  const log: string[] = [];
  let attempts = 0;
  const plugin = definePlugin({
    id: 'line',
    state: z.unknown(),
    async open({ sessionId }) {
      await Promise.resolve();
      if (attempts++ < failures) throw new Error('no line');
      log.push(`open ${sessionId}`);
      return () => log.push(`close ${sessionId}`);
    },
  });
  return { agent: agentOf([{ text: 'answer' }], { plugins: [plugin] }), log };
}

describe('a plugin that opens something, under React StrictMode', () => {
  it('a plugin is open once for two components of a session, which mount twice, and closed once after both have left', async () => {
    const { agent, log } = linePlugin();
    const sessions = memorySessions();
    const shown: UseAgentResult[] = [];
    function Part({ at }: { readonly at: number }): ReactNode {
      shown[at] = useAgent(agent, { sessionId: 'one', sessions });
      return null;
    }
    const view = render(
      <StrictMode>
        <Part at={0} />
        <Part at={1} />
      </StrictMode>,
    );
    await act(() => Promise.all([shown[0]?.sendMessage('Hi'), shown[1]?.sendMessage('You')]));
    await act(() => shown[1]!.sendMessage('Again'));
    view.rerender(
      <StrictMode>
        <Part at={0} />
      </StrictMode>,
    );
    await act(() => shown[0]!.sendMessage('Once more'));
    expect(log).toEqual(['open one']);
    view.unmount();
    await waitFor(() => expect(log).toEqual(['open one', 'close one']));
  });

  it('a plugin is open once for each of two sessions that a component shows in turn', async () => {
    const { agent, log } = linePlugin();
    const sessions = memorySessions();
    const { result, rerender, unmount } = renderHook(
      ({ id }) => useAgent(agent, { sessionId: id, sessions }),
      { initialProps: { id: 'one' }, wrapper: StrictMode },
    );
    await act(() => result.current.sendMessage('Hi'));
    rerender({ id: 'two' });
    await act(() => result.current.sendMessage('Hi'));
    await waitFor(() => expect(log.toSorted()).toEqual(['close one', 'open one', 'open two']));
    unmount();
    await waitFor(() => expect(log.toSorted()).toEqual(['close one', 'close two', 'open one', 'open two']));
  });

  it('a plugin of a session without a store opens again with the next run after its component has come back', async () => {
    const { agent, log } = linePlugin();
    const first = renderHook(() => useAgent(agent, { sessionId: 'one' }), { wrapper: StrictMode });
    await act(() => first.result.current.sendMessage('Hi'));
    first.unmount();
    await waitFor(() => expect(log).toEqual(['open one', 'close one']));
    const { result, unmount } = renderHook(() => useAgent(agent, { sessionId: 'one' }), {
      wrapper: StrictMode,
    });
    expect(log).toHaveLength(2);
    await act(() => result.current.sendMessage('Again'));
    expect(log).toEqual(['open one', 'close one', 'open one']);
    unmount();
    await waitFor(() => expect(log).toEqual(['open one', 'close one', 'open one', 'close one']));
  });

  it('a plugin whose open fails is opened by the next run, and closed once', async () => {
    const { agent, log } = linePlugin(1);
    const { result, unmount } = renderHook(() => useAgent(agent, { sessionId: 'one' }), {
      wrapper: StrictMode,
    });
    const failed = await act(() => result.current.sendMessage('Hi'));
    expect(failed.error).toMatchObject({ code: 'plugin-failed' });
    expect(result.current.error).toMatchObject({ code: 'plugin-failed' });
    const done = await act(() => result.current.retry());
    expect([done.outcome, log]).toEqual(['completed', ['open one']]);
    unmount();
    await waitFor(() => expect(log).toEqual(['open one', 'close one']));
  });
});
