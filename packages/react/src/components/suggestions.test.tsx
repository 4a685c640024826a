import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentOf, expectSilence } from '../fixtures/chat.tsx';
import { AgentState, defineHook } from '../index.ts';
import { Chat } from './chat/chat.tsx';
import { stubLayout } from './no-layout.fixture.ts';

beforeEach(() => {
  stubLayout();
  sessionStorage.clear();
});
expectSilence();
afterEach(cleanup);

/** An agent whose answers offer data as follow-ups. */
function offering(data: unknown) {
  const offer = defineHook({
    name: 'offer',
    on: 'after-execution',
    run(state) {
      const messages = AgentState.messages(state);
      const part = { type: 'data', name: 'suggestions', data: data as string[] } as const;
      return AgentState.withMessages(
        state,
        messages.map((one, at) =>
          at === messages.length - 1 ? { ...one, parts: [...one.parts, part] } : one,
        ),
      );
    },
  });
  return agentOf([{ text: 'First.' }, { text: 'Second.' }], { hooks: [offer] });
}
const offered = (): (string | null)[] =>
  [...document.querySelectorAll('.vitrine-suggestions button')].map(({ textContent }) => textContent);

it('a click on a suggestion of an empty chat sends it, and the answer offers its own', async () => {
  render(<Chat agent={offering(['More', 'Less'])} suggestions={['What can you do?']} />);
  const button = await screen.findByRole('button', { name: 'What can you do?' });
  expect(screen.getByRole('group', { name: 'Suggestions' })).toBeTruthy();
  await act(async () => void fireEvent.click(button));
  await screen.findByText('First.');
  await waitFor(() => expect(offered()).toEqual(['More', 'Less']));
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'More' })));
  await screen.findByText('Second.');
});

it.each([
  ['no list', { more: true }, []],
  ['entries that are no texts or too long', [1, null, 'x'.repeat(201), 'Yes'], ['Yes']],
  [
    'more than eight',
    Array.from({ length: 20 }, (_, at) => `${at}`),
    ['0', '1', '2', '3', '4', '5', '6', '7'],
  ],
])('an agent that offers %s breaks nothing', async (_what, data, shown) => {
  render(<Chat agent={offering(data)} suggestions={['Go']} />);
  await act(async () => void fireEvent.click(await screen.findByRole('button', { name: 'Go' })));
  await screen.findByText('First.');
  await waitFor(() => expect(offered()).toEqual(shown));
});

it('a chat with suggestions={false} shows none', async () => {
  render(<Chat agent={offering(['More'])} suggestions={false} />);
  const field = screen.getByLabelText('Message');
  fireEvent.change(field, { target: { value: 'Hi' } });
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
  await screen.findByRole('button', { name: 'Copy answer' });
  expect(offered()).toEqual([]);
});
