import { chosenModel } from '@vitrine/core/internal/graph/agent-state/chosen-model';
import { QueryClient } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentOf, expectSilence, slow } from '../fixtures/chat.tsx';
import {
  AgentProvider,
  type AgentSession,
  createAgentSession,
  AgentSessionProvider,
  memorySessions,
} from '../index.ts';
import { Chat } from './chat/chat.tsx';
import { ModelChoice } from './model-choice.tsx';
import { stubLayout } from './no-layout.fixture.ts';

expectSilence();
beforeEach(stubLayout);
afterEach(cleanup);

const small = { id: 'p:small', name: 'Small', provider: 'p', default: true };
const large = {
  id: 'q:large',
  name: 'Large',
  provider: 'q',
  reasoning: ['off', 'high'],
  price: { input: 3, output: 15 },
};
const proxy = (...models: readonly object[]) => ({ fetch: async () => Response.json({ models }) });
const requests: { model: string | null; reasoning: unknown }[] = [];

/** An agent that notes the model and the reasoning of each request, and prices of its own. */
function noting(entries: Parameters<typeof agentOf>[0]) {
  requests.length = 0;
  const agent = agentOf(entries, {
    llmConfig: {
      model: 'p:small',
      settings: { temperature: 1 },
      prices: { 'p:small': { input: 1, output: 2 } },
    },
  });
  const { inference } = agent;
  return {
    ...agent,
    inference: {
      ...inference,
      stream: (...args: Parameters<typeof inference.stream>) => {
        const { model, settings } = args[0];
        requests.push({ model, reasoning: settings['reasoning'] });
        return inference.stream(...args);
      },
    },
  };
}

function show(session: AgentSession, ...models: readonly object[]): void {
  render(
    <AgentProvider queryClient={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AgentSessionProvider session={session}>
        <ModelChoice {...proxy(...models)} />
      </AgentSessionProvider>
    </AgentProvider>,
  );
}

async function open(): Promise<void> {
  const details = await waitFor(() => {
    const found = document.querySelector('details');
    if (found === null) throw new Error('There is no menu yet.');
    return found;
  });
  await act(async () => {
    details.open = true;
    fireEvent(details, new Event('toggle'));
  });
}
const press = async (name: string | RegExp): Promise<void> =>
  act(async () => void fireEvent.click(screen.getByRole('button', { name })));
const label = (): string | null => document.querySelector('summary')!.getAttribute('aria-label');

it('a chosen model and its reasoning answer next, and come back with the stored session', async () => {
  const agent = noting([{ text: 'Yes.' }]);
  const sessions = memorySessions();
  const session = createAgentSession({ agent, sessions, sessionId: 's' });
  await session.sendMessage('One');
  show(session, small, large);
  await open();
  expect(label()).toBe('Model: Small');
  await press('Large q · $3 in, $15 out');
  await press('Think hard');
  await waitFor(() => expect(label()).toBe('Model: Large, think hard'));
  await act(() => session.regenerate());
  expect(requests).toEqual([
    { model: 'p:small', reasoning: undefined },
    { model: 'q:large', reasoning: 'high' },
  ]);
  expect(session.store.getState().state.llmConfig).toEqual({
    ...agent.llmConfig,
    model: 'q:large',
    settings: { temperature: 1, reasoning: 'high' },
  });
  await session.dispose();
  cleanup();
  const again = createAgentSession({ agent, sessions, sessionId: 's' });
  await again.ready;
  show(again, small, large);
  await open();
  expect(label()).toBe('Model: Large, think hard');
  // The level of another model is not kept for one without levels.
  await press(/Small/);
  await waitFor(() => expect(label()).toBe('Model: Small'));
  await act(() => again.regenerate());
  expect(requests.at(-1)).toEqual({ model: 'p:small', reasoning: undefined });
  await again.dispose();
});

it('a level that is chosen right behind a model is one of that model', async () => {
  const agent = noting([{ text: 'Yes.' }]);
  const session = createAgentSession({ agent, sessionId: 's' });
  // As over a network.
  const chooseModel: typeof session.chooseModel = async (choice) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    await session.chooseModel(choice);
  };
  show({ ...session, chooseModel }, { ...small, reasoning: ['high'] }, large);
  await open();
  fireEvent.click(screen.getByRole('button', { name: /Large/ }));
  expect(label()).toBe('Model: Large');
  fireEvent.click(screen.getByRole('button', { name: 'Think hard' }));
  await waitFor(() =>
    expect(chosenModel(session.store.getState().state)).toEqual({ model: 'q:large', reasoning: 'high' }),
  );
  expect(label()).toBe('Model: Large, think hard');
  await act(() => session.sendMessage('One'));
  expect(requests).toEqual([{ model: 'q:large', reasoning: 'high' }]);
  await session.dispose();
});

it('a choice during a run leaves the run alone, and counts for the message that waits behind it', async () => {
  const agent = noting([
    { ...slow, toolCalls: [{ name: 'none', input: {} }] },
    { text: 'Done.' },
    { text: 'Next.' },
  ]);
  const session = createAgentSession({ agent });
  show(session, small, large);
  await open();
  const turns = [session.sendMessage('One'), session.sendMessage('Two')];
  await screen.findByText('Your choice counts from the next answer on.');
  await press(/Large/);
  expect(label()).toBe('Model: Large');
  await act(async () => void (await Promise.all(turns)));
  expect(requests.map(({ model }) => model)).toEqual(['p:small', 'p:small', 'q:large']);
  await waitFor(() => expect(session.store.getState().state.context.metadata).toEqual({}));
  await session.dispose();
});

it('many models can be searched, Enter takes the first hit, and Escape closes the menu', async () => {
  const many = Array.from({ length: 12 }, (_, n) => ({ id: `p:m${n}`, name: `Model ${n}`, provider: 'p' }));
  const session = createAgentSession({ agent: noting([{ text: 'Yes.' }]) });
  show(session, ...many);
  await open();
  const field = screen.getByRole('searchbox', { name: 'Search models' });
  fireEvent.change(field, { target: { value: 'nothing of it' } });
  expect(screen.getByRole('status').textContent).toBe('No model has this name.');
  fireEvent.change(field, { target: { value: '11 p:' } });
  expect(within(screen.getByRole('group', { name: 'Models' })).getAllByRole('button')).toHaveLength(1);
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
  await waitFor(() => expect(label()).toBe('Model: Model 11'));
  await open();
  fireEvent.keyDown(screen.getByRole('searchbox'), { key: 'Escape' });
  expect(screen.queryByRole('searchbox')).toBeNull();
  expect(document.activeElement?.tagName).toBe('SUMMARY');
  await session.dispose();
});

it('a chosen model that is served no more is left for the only one that is', async () => {
  const session = createAgentSession({ agent: noting([{ text: 'Yes.' }]) });
  await session.chooseModel({ model: 'q:gone' });
  show(session, small);
  await open();
  expect(label()).toBe('Model: q:gone');
  await press(/Small/);
  await act(async () => void (await session.sendMessage('One')));
  expect(requests).toEqual([{ model: 'p:small', reasoning: undefined }]);
  await session.dispose();
});

it('the own model of the agent is chosen by no name, which a server that lets nobody choose takes too', async () => {
  const session = createAgentSession({ agent: noting([]) });
  await session.chooseModel({ model: 'p:large' });
  show(session, small, large);
  await open();
  await press(/Small/);
  expect(chosenModel(session.store.getState().state)).toEqual({ model: null, reasoning: null });
  expect(label()).toBe('Model: Small');
  await session.dispose();
});

it('a choice that cannot be kept is said in a sentence', async () => {
  const session = createAgentSession({ agent: noting([{ text: 'Yes.' }]) });
  show(session, small, large);
  await open();
  await session.dispose();
  await press(/Large/);
  expect((await screen.findByRole('alert')).textContent).toMatch(/\w+ \w+/);
});

it('a list of models that cannot be loaded is a button that asks again', async () => {
  const session = createAgentSession({ agent: noting([{ text: 'Yes.' }]) });
  let answers = 0;
  const fetch = async () =>
    answers++ === 0 ? new Response('', { status: 502 }) : Response.json({ models: [small, large] });
  render(
    <AgentProvider queryClient={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <AgentSessionProvider session={session}>
        <ModelChoice fetch={fetch} />
      </AgentSessionProvider>
    </AgentProvider>,
  );
  fireEvent.click(await screen.findByRole('button', { name: 'The models could not be loaded. Try again' }));
  await open();
  expect(label()).toBe('Model: Small');
  await session.dispose();
});

it('a chat with models shows the choice in its message box, and none for a single model', async () => {
  const agent = noting([{ text: 'Yes.' }]);
  render(
    <AgentProvider queryClient={new QueryClient()}>
      <Chat agent={agent} models={proxy(small, large)} />
    </AgentProvider>,
  );
  await waitFor(() => expect(document.querySelector('.vitrine-composer summary')).toBeTruthy());
  cleanup();
  const session = createAgentSession({ agent });
  show(session, small);
  await act(async () => undefined);
  expect(document.querySelector('summary')).toBeNull();
  await session.dispose();
});
