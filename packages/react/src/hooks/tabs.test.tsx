import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { type ChatMessage, defineTool, memorySessions, type SessionStore } from '@vitrine/core';
import type { TabLink } from '@vitrine/core/stores';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agentOf, expectSilence, slow } from '../fixtures/chat.tsx';
import { useAgent } from './use-agent.ts';

afterEach(cleanup);
expectSilence();

/** One lock and one channel, for stores that are one. */
function createLink(): TabLink {
  const claims: ((isHeld: boolean) => void)[] = [];
  const ears = new Set<(message: unknown) => void>();
  const later = (call: () => void): void => void setTimeout(call, 1);
  return {
    lock(_name, onTurn) {
      claims.push(onTurn);
      const isFirst = claims.length === 1;
      later(() => onTurn(isFirst));
      return () => {
        const wasFirst = claims[0] === onTurn;
        claims.splice(claims.indexOf(onTurn), 1);
        if (wasFirst) later(() => claims[0]?.(true));
      };
    },
    open(_name, onMessage) {
      ears.add(onMessage);
      return {
        post(message) {
          for (const ear of ears) if (ear !== onMessage) later(() => ear(structuredClone(message)));
        },
        close: () => void ears.delete(onMessage),
      };
    },
  };
}

/** Two tabs, as far as a session can tell: their stores are two, of one place. */
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
  it('shows in the one live what the other does', async () => {
    const [one, two] = twoTabs();
    const agent = agentOf([slow]);
    const first = renderHook(() => useAgent(agent, { sessionId: 'a', sessions: one }));
    await waitFor(() => expect(first.result.current.persistence.status).toBe('idle'));
    const second = renderHook(() => useAgent(agent, { sessionId: 'a', sessions: two }));
    await waitFor(() => expect(second.result.current.status).toBe('ready'));
    let turn: Promise<unknown> = Promise.resolve();
    act(() => void (turn = first.result.current.sendMessage('Hi')));
    await waitFor(() => expect(second.result.current.activity).toMatchObject({ type: 'answering' }));
    // Words come while they are said.
    await waitFor(() =>
      expect(second.result.current.messages.map(words)).toEqual(['Hi', expect.stringMatching(/^abc/)]),
    );
    expect(second.result.current.status).toBe('streaming');
    await act(() => turn);
    await waitFor(() => expect(second.result.current.status).toBe('ready'));
    expect(second.result.current.messages).toEqual(first.result.current.messages);
  });

  it('takes an approval in either, once, and shows in both what came of it', async () => {
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
