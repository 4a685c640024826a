import { join } from 'node:path';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import {
  type AgentDefinition,
  Conversation,
  createAgentSession,
  defineAgent,
  type SessionStore,
} from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { Chat } from '@vitrine/react/components';
import { agentServer } from '@vitrine/react/server';
import { type AgentServerOptions, createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';

afterEach(cleanup);

/** Serves an agent to the page, whose requests reach it without a network. */
function serve(clerk: AgentDefinition, options: Partial<AgentServerOptions<{ clerk: AgentDefinition }>>) {
  const server = createAgentServer({
    agents: { clerk },
    host: sqliteHost({ path: join(folderOfTest('demo'), 'sessions.db') }),
    authorize: ({ headers }) => ({ id: headers.get('authorization') ?? 'nobody' }),
    log: () => undefined,
    lingerMs: 50,
    ...options,
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
  const sessionsOf = (who: string, owner?: string): SessionStore => {
    const remote = agentServer({ url: '/api', headers: { authorization: who } });
    return owner === undefined ? remote.sessions : remote.sessionsOf(owner);
  };
  return { refused, sessionsOf };
}

it('a colleague who may only follow sees the session of a server live, and is offered nothing that it refuses', async () => {
  const script = [{ text: 'Hello.' }, { text: 'It is here.' }];
  const clerk = defineAgent({ name: 'clerk', inference: scriptedInference(script) });
  const { refused, sessionsOf } = serve(clerk, {
    access: ({ id }, { owner }, act) => act === 'follow' || (id === owner && act === 'command'),
  });
  const sessions = sessionsOf('anna');
  const owned = createAgentSession({ agent: clerk, sessions, sessionId: 's1' });
  onTestFinished(async () => void (await owned.dispose()));
  await owned.sendMessage('Good day');
  render(<Chat agent={clerk} sessions={sessionsOf('ben', 'anna')} sessionId="s1" readOnly feedback models />);
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

it('a person chooses the model of a session on a server, and reads which one the server does not allow', async () => {
  const asked: (string | null)[] = [];
  const inference = scriptedInference([({ model }) => (asked.push(model), { text: `By ${model}.` })]);
  const clerk = defineAgent({ name: 'clerk', inference, llmConfig: { model: 'p:own', settings: {} } });
  const { sessionsOf } = serve(clerk, { allowModel: (model) => model === 'p:small' });
  const models = ['own', 'small', 'large'].map((name) => ({ id: `p:${name}`, name, provider: 'p' }));
  const proxy = { fetch: async () => Response.json({ models }) };
  render(<Chat agent={clerk} sessions={sessionsOf('anna')} sessionId="s1" models={proxy} />);
  const menu = await waitFor(() => {
    const found = document.querySelector<HTMLDetailsElement>('.vitrine-composer details');
    expect(found).toBeTruthy();
    return found!;
  });
  const choose = async (name: RegExp): Promise<void> => {
    menu.open = true;
    fireEvent(menu, new Event('toggle'));
    fireEvent.click(await within(menu).findByRole('button', { name }));
  };
  await choose(/^large/);
  expect((await within(menu).findByRole('alert')).textContent).toBe(
    'You may not choose this model here. Choose another one.',
  );
  await choose(/^small/);
  await waitFor(() => expect(menu.querySelector('summary')?.ariaLabel).toBe('Model: small'));
  fireEvent.change(screen.getByRole('textbox', { name: 'Message' }), { target: { value: 'Hello' } });
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Message' }), { key: 'Enter' });
  await screen.findByText('By p:small.');
  expect(asked).toEqual(['p:small']);
});
