import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { type ChatMessage, defineTool, type SessionStore } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agentOf, expectSilence, slow } from '../fixtures/chat.tsx';
import { createLink } from '../fixtures/link.ts';
import { useAgent } from './use-agent.ts';

afterEach(cleanup);
expectSilence();

/** Two tabs as a session sees them: two store objects over the same data. */
function twoTabs(): readonly [SessionStore, SessionStore] {
  const [store, tabs] = [memorySessions(), createLink()];
  return [
    { ...store, tabs },
    { ...store, tabs },
  ];
}

const words = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

describe('useAgent in two tabs', () => {
  it('a follower tab shows the run of the leader tab live', async () => {
    const [one, two] = twoTabs();
    const agent = agentOf([slow]);
    const first = renderHook(() => useAgent(agent, { sessionId: 'a', sessions: one }));
    await waitFor(() => expect(first.result.current.persistence.status).toBe('idle'));
    const second = renderHook(() => useAgent(agent, { sessionId: 'a', sessions: two }));
    await waitFor(() => expect(second.result.current.status).toBe('ready'));
    let turn: Promise<unknown> = Promise.resolve();
    act(() => void (turn = first.result.current.sendMessage('Hi')));
    await waitFor(() => expect(second.result.current.activity).toMatchObject({ type: 'answering' }));
    // The text arrives while it streams in the other tab.
    await waitFor(() =>
      expect(second.result.current.messages.map(words)).toEqual(['Hi', expect.stringMatching(/^abc/)]),
    );
    expect(second.result.current.status).toBe('streaming');
    await act(() => turn);
    await waitFor(() => expect(second.result.current.status).toBe('ready'));
    expect(second.result.current.messages).toEqual(first.result.current.messages);
  });

  it('an approval is accepted once from either tab, and both tabs show its result', async () => {
    const [one, two] = twoTabs();
    const execute = vi.fn(() => 'paid');
    const pay = defineTool({
      name: 'pay',
      description: '',
      input: z.object({}),
      needsApproval: true,
      execute,
    });
    const agent = agentOf([{ toolCalls: [{ name: 'pay', input: {} }] }, { text: 'done' }], { tools: [pay] });
    const first = renderHook(() => useAgent(agent, { sessionId: 'a', sessions: one }));
    const second = renderHook(() => useAgent(agent, { sessionId: 'a', sessions: two }));
    await act(() => second.result.current.sendMessage('Pay'));
    const tabs = [first, second].map(({ result }) => result);
    await waitFor(() => tabs.forEach(({ current }) => expect(current.pendingApprovals).toHaveLength(1)));
    for (const { current } of tabs) expect(current.status).toBe('awaiting-input');
    const { id } = first.result.current.pendingApprovals[0]!;
    const turns = await act(() => Promise.all(tabs.map(({ current }) => current.approve(id))));
    expect(turns.map(({ status }) => status).sort()).toEqual(['done', 'refused']);
    expect(execute).toHaveBeenCalledTimes(1);
    await waitFor(() => tabs.forEach(({ current }) => expect(current.status).toBe('ready')));
    for (const { current } of tabs) expect(current.pendingApprovals).toEqual([]);
    expect(second.result.current.messages).toEqual(first.result.current.messages);
  });
});
