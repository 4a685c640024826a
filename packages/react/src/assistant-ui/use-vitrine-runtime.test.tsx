import { act, cleanup, renderHook } from '@testing-library/react';
import { AgentState, createAgentSession } from '@vitrine/core';
import { afterEach, expect, it } from 'vitest';
import { agentOf } from '../fixtures/chat.tsx';
import { useVitrineRuntime } from './use-vitrine-runtime.ts';

afterEach(cleanup);

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
