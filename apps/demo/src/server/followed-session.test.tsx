import { join } from 'node:path';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Conversation, createAgentSession, defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { Chat } from '@vitrine/react/components';
import { agentServer } from '@vitrine/react/server';
import { createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';

afterEach(cleanup);

it('a colleague who may only follow sees the session of a server live, and is offered nothing that it refuses', async () => {
  const script = [{ text: 'Hello.' }, { text: 'It is here.' }];
  const clerk = defineAgent({ name: 'clerk', inference: scriptedInference(script) });
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('demo'), 'sessions.db') }),
    authorize: ({ headers }) => ({ id: headers.get('authorization') ?? 'nobody' }),
    access: ({ id }, { owner }, act) => act === 'follow' || (id === owner && act === 'command'),
    log: () => undefined,
    lingerMs: 50,
  });
  onTestFinished(() => server.stop({ graceMs: 1000 }));
  const refused: string[] = [];
  vi.stubGlobal('fetch', async (input: unknown, { signal: _signal, ...init }: RequestInit = {}) => {
    const response = await server.fetch(new Request(new URL(String(input), 'http://localhost'), init));
    if (response.status >= 400) refused.push(`${response.status} ${String(input)}`);
    return response;
  });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const of = (who: string) => agentServer({ url: '/api', headers: { authorization: who } });
  const { sessions } = of('anna');
  const owned = createAgentSession({ agent: clerk, sessions, sessionId: 's1' });
  onTestFinished(async () => void (await owned.dispose()));
  await owned.sendMessage('Good day');
  render(
    <Chat agent={clerk} sessions={of('ben').sessionsOf('anna')} sessionId="s1" readOnly feedback models />,
  );
  await screen.findByText('Hello.');
  await owned.sendMessage('Where is it?');
  await screen.findByText('It is here.');
  await waitFor(() => expect(screen.getAllByRole('button')).toHaveLength(2));
  expect(screen.getAllByRole('button').map(({ ariaLabel }) => ariaLabel)).toEqual([
    'Copy answer',
    'Copy answer',
  ]);
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.queryByRole('alert')).toBeNull();
  expect(refused).toEqual([]);
  cleanup();
  render(<Chat agent={clerk} sessions={sessions} sessionId="s1" feedback />);
  await screen.findAllByRole('button', { name: 'Answer again' });
  const [, good] = await screen.findAllByRole('button', { name: 'Good answer' });
  fireEvent.click(good!);
  await waitFor(() => expect(good?.getAttribute('aria-pressed')).toBe('true'));
  const [, last] = Conversation.messages(owned.store.getState().state).filter(
    ({ role }) => role === 'assistant',
  );
  await waitFor(() =>
    expect(Conversation.messages(owned.store.getState().state)).toContainEqual(
      expect.objectContaining({
        id: last?.id,
        metadata: expect.objectContaining({ feedback: 'up', feedback_by: 'anna' }) as unknown,
      }),
    ),
  );
  expect(refused).toEqual([]);
});
