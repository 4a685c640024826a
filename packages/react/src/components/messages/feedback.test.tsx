import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { exportSession } from '@vitrine/persist';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentOf, expectSilence } from '../../fixtures/chat.tsx';
import {
  type AgentEvent,
  AgentSessionProvider,
  AgentState,
  createAgentSession,
  memorySessions,
} from '../../index.ts';
import { Chat } from '../chat/chat.tsx';
import { ConversationView } from '../conversation-view.tsx';
import { stubLayout } from '../no-layout.fixture.ts';

expectSilence();
beforeEach(stubLayout);
afterEach(cleanup);

async function answered() {
  const sessions = memorySessions();
  const agent = agentOf([{ text: 'Yes.' }]);
  const session = createAgentSession({ agent, sessions, sessionId: 's' });
  await session.sendMessage('One');
  render(
    <AgentSessionProvider session={session}>
      <ConversationView feedback />
    </AgentSessionProvider>,
  );
  await screen.findByRole('button', { name: 'Good answer' });
  const given = () =>
    AgentState.messages(session.store.getState().state).map(
      ({ metadata }) => metadata['feedback'] && [metadata['feedback'], metadata['feedback_text']],
    );
  return { session, sessions, given };
}
const press = async (name: string): Promise<void> =>
  act(async () => void fireEvent.click(screen.getByRole('button', { name })));

it('a thumb and a text are kept with the answer, in its events and its export', async () => {
  const { session, sessions, given } = await answered();
  const events: AgentEvent[] = [];
  session.onEvent((event) => events.push(event));
  await press('Bad answer');
  expect(given()).toEqual([undefined, ['down', undefined]]);
  const field = screen.getByRole('textbox', { name: 'What was wrong?' });
  fireEvent.change(field, { target: { value: ' It is too short. ' } });
  await act(async () => void fireEvent.submit(field.closest('form')!));
  expect(given()[1]).toEqual(['down', 'It is too short.']);
  await screen.findByText('Thank you.');
  // Nothing is erased: the text of the answer stays.
  expect(events.map(({ type }) => type)).toEqual(['section-change', 'section-change']);
  expect(events.some((event) => 'erased' in event)).toBe(false);
  await session.flush();
  expect(JSON.stringify(await exportSession(sessions, 's'))).toContain('It is too short.');
  expect(screen.getByRole('button', { name: 'Bad answer' }).getAttribute('aria-pressed')).toBe('true');
  await press('Bad answer');
  expect(given()).toEqual([undefined, undefined]);
  await session.dispose();
});

it('feedback stays with the answer when it is given again, and the model is sent none of it', async () => {
  const { session, given } = await answered();
  const { id } = AgentState.messages(session.store.getState().state)[1]!;
  await press('Good answer');
  await act(() => session.regenerate());
  expect(given()).toEqual([undefined, undefined]);
  await act(() => session.switchBranch(id));
  expect(given()[1]).toEqual(['up', undefined]);
  await act(() => session.sendMessage('Two'));
  const { sent } = AgentState.lastStep(session.store.getState().state)!;
  expect(JSON.stringify(sent)).not.toContain('feedback');
  await session.dispose();
});

it('feedback that cannot be kept is said in a sentence', async () => {
  const { session } = await answered();
  await session.dispose();
  await press('Good answer');
  await waitFor(() =>
    expect(screen.getAllByRole('status').some(({ textContent }) => /\w+ \w+ \w+/.test(textContent))).toBe(
      true,
    ),
  );
});

it('a chat asks for feedback only when it has the option', async () => {
  const agent = agentOf([{ text: 'Yes.' }]);
  const view = render(<Chat agent={agent} />);
  const field = screen.getByLabelText('Message');
  fireEvent.change(field, { target: { value: 'Hi' } });
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
  await screen.findByRole('button', { name: 'Copy answer' });
  expect(screen.queryByRole('button', { name: 'Good answer' })).toBeNull();
  view.rerender(<Chat agent={agent} feedback />);
  await screen.findByRole('button', { name: 'Good answer' });
});
