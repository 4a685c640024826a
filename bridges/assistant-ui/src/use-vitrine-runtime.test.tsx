import { act, cleanup, renderHook } from '@testing-library/react';
import type { AssistantRuntime } from '@assistant-ui/react';
import {
  type AgentSession,
  AgentState,
  createAgentSession,
  defineTool,
  type InferenceRequest,
} from '@vitrine/core';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { scriptedAgent as agentOf } from '@vitrine/testing/internal/fixtures';
import { useVitrineRuntime } from './use-vitrine-runtime.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('files of the composer arrive in the session by their address, their data URL, or their bytes', async () => {
  const session = createAgentSession({ agent: agentOf([{ text: 'Seen' }]) });
  const { result } = renderHook(() => useVitrineRuntime(session));
  const done = new Promise<void>((resolve) =>
    session.onEvent(({ type }) => void (type === 'execution-end' && resolve())),
  );
  await act(async () => {
    result.current.thread.append({
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', image: 'data:image/png;base64,AAAA' },
        { type: 'image', image: 'https://example.com/cat.png', filename: 'cat.png' },
        { type: 'file', data: 'BBBB', mimeType: 'application/pdf', filename: 'a.pdf' },
      ],
    });
    await done;
  });
  const [asked] = AgentState.messages(session.store.getState().state);
  const file = { type: 'file', filename: null };
  expect(asked?.parts).toEqual([
    { type: 'text', text: 'Look' },
    { ...file, mediaType: 'image/png', data: 'AAAA' },
    { ...file, mediaType: 'image/*', url: 'https://example.com/cat.png', filename: 'cat.png' },
    { ...file, mediaType: 'application/pdf', data: 'BBBB', filename: 'a.pdf' },
  ]);
  await session.dispose();
});

/** Sends a text by the runtime, and resolves when its turn has ended. */
async function send(session: AgentSession, runtime: AssistantRuntime, text: string): Promise<void> {
  await act(async () => {
    runtime.thread.append({ role: 'user', content: [{ type: 'text', text }] });
    await vi.waitFor(() => expect(session.store.getState().state.execution).not.toBeNull());
    await vi.waitFor(() => expect(session.isSettled()).toBe(true));
  });
}

it('a turn that fails before its first word shows its error, and is asked again from there', async () => {
  const agent = agentOf([{ error: new Error('The key is wrong.') }, { text: 'Now' }], {
    retry: { maxAttempts: 1 },
  });
  const session = createAgentSession({ agent, publish: 'immediate' });
  const { result } = renderHook(() => useVitrineRuntime(session));
  await send(session, result.current, 'Hi');
  const [asked, failed] = result.current.thread.getState().messages;
  expect(failed).toMatchObject({
    role: 'assistant',
    content: [],
    status: { type: 'incomplete', reason: 'error', error: expect.stringContaining('The key is wrong.') },
  });
  await act(async () => {
    result.current.thread.getMessageById(failed!.id).reload();
    await vi.waitFor(() => expect(AgentState.finalResponse(session.store.getState().state)).toBe('Now'));
  });
  const shown = result.current.thread.getState().messages;
  expect(shown.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(shown[0]?.id).toBe(asked?.id);
  await session.dispose();
});

it('tools and instructions of the page go with what is sent, and are gone with them', async () => {
  const asked: InferenceRequest[] = [];
  const agent = agentOf([
    {
      toolCalls: [
        { name: 'color', input: { of: 'sky' } },
        { name: 'own', input: {} },
      ],
    },
    { text: 'Blue' },
    { text: 'Alone' },
  ]);
  const own = defineTool({ name: 'own', description: 'Own', input: z.object({}), execute: () => 'own' });
  const inference = {
    ...agent.inference,
    stream: (...given: Parameters<typeof agent.inference.stream>) => {
      asked.push(given[0]);
      return agent.inference.stream(...given);
    },
  };
  const session = createAgentSession({
    agent: { ...agent, tools: [own], inference, systemPrompt: 'Be brief.' },
    publish: 'immediate',
  });
  const { result } = renderHook(() => useVitrineRuntime(session));
  const leave = result.current.registerModelContextProvider({
    getModelContext: () => ({
      system: 'The page is blue.',
      tools: {
        color: {
          description: 'A color',
          parameters: { type: 'object', properties: { of: { type: 'string' } } },
          execute: ({ of }: { of: string }) => `${of} is blue`,
        },
        own: { description: 'Of the page', parameters: z.object({}), execute: () => 'of the page' },
        off: { description: 'Off', parameters: z.object({}), disabled: true, execute: () => 'off' },
      } as never,
    }),
  });
  await send(session, result.current, 'Which color?');
  expect(JSON.stringify(asked[0]?.messages)).toContain(
    JSON.stringify('Be brief.\n\nThe page is blue.').slice(1, -1),
  );
  expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['own', 'color']);
  expect(AgentState.steps(session.store.getState().state)[0]?.toolExecutions).toMatchObject([
    { result: 'sky is blue' },
    { result: 'own' },
  ]);
  leave();
  await send(session, result.current, 'And now?');
  expect(JSON.stringify(asked.at(-1)?.messages)).not.toContain('The page');
  expect(asked.at(-1)?.tools.map(({ name }) => name)).toEqual(['own']);
  await session.dispose();
});

it('a list of threads switches between sessions, and a session alone is never shown as another thread', async () => {
  const sessions = new Map(
    ['anna', 'ben'].map((name) => [
      name,
      createAgentSession({
        agent: agentOf([{ text: `For ${name}` }]),
        sessionId: name,
        publish: 'immediate',
      }),
    ]),
  );
  const { result } = renderHook(() => {
    const [threadId, onSwitchToThread] = useState('anna');
    const threads = [...sessions.keys()].map((id) => ({ id, status: 'regular' as const, title: id }));
    return useVitrineRuntime((id) => sessions.get(id)!, {
      adapters: { threadList: { threadId, threads, onSwitchToThread } },
    });
  });
  const said = () =>
    result.current.thread
      .getState()
      .messages.map(({ content }) => content.map((part) => ('text' in part ? part.text : '')).join());
  await send(sessions.get('anna')!, result.current, 'my secret');
  expect(said()).toEqual(['my secret', 'For anna']);
  await act(() => result.current.threads.switchToThread('ben'));
  expect(said()).toEqual([]);
  await send(sessions.get('ben')!, result.current, 'hello');
  expect(said()).toEqual(['hello', 'For ben']);
  await act(() => result.current.threads.switchToThread('anna'));
  expect(said()).toEqual(['my secret', 'For anna']);

  const alone = createAgentSession({ agent: agentOf([]), sessionId: 'mine' });
  const show = (threadId: string) =>
    renderHook(() => useVitrineRuntime(alone, { adapters: { threadList: { threadId } } }));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const thread of ['first', 'mine', 'first']) expect(() => show(thread)).not.toThrow();
  expect(() => show('other')).toThrow('a session for each thread');
});
