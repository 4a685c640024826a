import {
  AgentSessionProvider,
  AgentState,
  createAgentSession,
  defineAgent,
  PluginState,
} from '@vitrine/react';
import { Chat, ConversationView, Notes, Questions, Todos } from '@vitrine/react/components';
import { definePlugin, loadedSession, type Plugin } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { askUser } from './ask-user.ts';
import { compaction } from './compaction.ts';
import { notesPlugin } from './notes.ts';
import { todoPlugin } from './todo.ts';

// jsdom has no layout.
const none = (): void => undefined;
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe = none;
    unobserve = none;
    disconnect = none;
  },
);

const tasks = todoPlugin();
const write = { name: 'todo_write', input: { todos: [{ content: 'Write', status: 'in_progress' }] } };
const questions = [
  {
    question: 'Which colour?',
    header: 'Paint',
    options: [{ label: 'red', description: 'Warm' }, { label: 'blue' }],
  },
  { question: 'Which rooms?', options: [{ label: 'hall' }, { label: 'attic' }], multiSelect: true },
  { question: 'When?', options: [{ label: 'today' }, { label: 'later' }] },
];
const ask = { name: 'ask_user', input: { questions } };

describe('views of plugins', () => {
  it('a person ticks, adds and removes tasks, and the list stays within its bounds', async () => {
    const agent = defineAgent({
      plugins: [tasks],
      inference: scriptedInference([{ toolCalls: [write] }, { text: 'Begun.' }]),
    });
    const session = createAgentSession({ agent });
    render(
      <AgentSessionProvider session={session}>
        <Todos />
      </AgentSessionProvider>,
    );
    expect(screen.queryByRole('checkbox')).toBeNull();
    await act(() => session.sendMessage('Do it.'));
    const todos = () => PluginState.get(session.store.getState().state, tasks);
    fireEvent.click(await screen.findByLabelText('Write'));
    await screen.findByText('Tasks: 1 of 1 done');
    const field = screen.getByLabelText('New task');
    fireEvent.change(field, { target: { value: ' Test ' } });
    fireEvent.submit(field.closest('form')!);
    await screen.findByText('Tasks: 1 of 2 done');
    expect(todos()?.[1]).toEqual({ content: 'Test', status: 'pending', activeForm: 'Test' });
    fireEvent.click(screen.getByRole('button', { name: 'Remove “Write”' }));
    await screen.findByText('Tasks: 0 of 1 done');
    expect(document.activeElement?.className).toBe('vitrine-todos');
    await act(() =>
      session.update((state) =>
        PluginState.set(
          state,
          tasks,
          Array(20).fill({ content: 'One', status: 'pending', activeForm: 'One' }),
        ),
      ),
    );
    expect(screen.queryByLabelText('New task')).toBeNull();
    await session.dispose();
  });

  it('a chat loads the list of tasks and the questions of a model, and answers after a reload', async () => {
    const results: string[] = [];
    const agent = defineAgent({
      plugins: [tasks],
      tools: [askUser()],
      inference: scriptedInference([
        { toolCalls: [write, ask] },
        ({ messages }) => {
          results.push(JSON.stringify(messages));
          return { text: 'Painted.' };
        },
      ]),
    });
    const sessions = memorySessions();
    const before = createAgentSession({ agent, sessions, sessionId: 's' });
    await before.sendMessage('Paint it.');
    await before.dispose();
    render(<Chat agent={agent} sessions={sessions} sessionId="s" />);
    await screen.findByText('Tasks: 0 of 1 done');
    await screen.findByText('Which colour?');
    fireEvent.click(screen.getByLabelText(/red/));
    for (const room of ['hall', 'attic']) fireEvent.click(screen.getByLabelText(room));
    fireEvent.change(screen.getByLabelText('In other words: Which rooms?'), {
      target: { value: 'the shed' },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Answer' }));
    await screen.findByText('Painted.');
    const answers = [
      { question: 'Which colour?', selected: ['red'] },
      { question: 'Which rooms?', selected: ['hall', 'attic'], other: 'the shed' },
      { question: 'When?', selected: [], skipped: true },
    ];
    expect(results[0]).toContain(JSON.stringify(JSON.stringify({ answers })).slice(1, -1));
    expect(screen.queryByText('Which colour?')).toBeNull();
  });

  it('a person sees and changes the notes that they have over sessions, and what fails is told and stays typed', async () => {
    const store = memorySessions();
    let isFull = false;
    const flaky: typeof store = {
      ...store,
      save: (record, options) =>
        isFull ? Promise.reject(new Error('No room.')) : store.save(record, options),
    };
    const call = { name: 'write_note', input: { key: 'hotel', value: 'Seaview' } };
    const open = (plugins: readonly Plugin[], calls: readonly (typeof call)[]) =>
      createAgentSession({
        agent: defineAgent({
          plugins,
          inference: scriptedInference([...calls.map((one) => ({ toolCalls: [one] })), { text: 'Noted.' }]),
        }),
      });
    const first = open([notesPlugin({ scope: 'person', store })], [call]);
    await first.sendMessage('Note it.');
    const second = open([notesPlugin({ scope: 'person', store: flaky })], []);
    render(
      <AgentSessionProvider session={second}>
        <Notes />
      </AgentSessionProvider>,
    );
    const field = await screen.findByLabelText<HTMLTextAreaElement>('hotel');
    expect(field.value).toBe('Seaview');
    isFull = true;
    fireEvent.change(field, { target: { value: 'Hill' } });
    fireEvent.blur(field);
    await screen.findByText('Your notes could not be read or changed: No room.');
    expect(field.value).toBe('Hill');
    const entry = screen.getByLabelText<HTMLInputElement>('New note');
    fireEvent.change(entry, { target: { value: 'train' } });
    fireEvent.submit(entry.closest('form')!);
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(entry.value).toBe('train');
    isFull = false;
    fireEvent.submit(entry.closest('form')!);
    await screen.findByLabelText('train');
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    expect(entry.value).toBe('');
    fireEvent.blur(field);
    await waitFor(async () =>
      expect(JSON.stringify(loadedSession(await store.load('notes')))).toContain('Hill'),
    );
    fireEvent.click(screen.getByRole('button', { name: 'Delete “train”' }));
    await screen.findByText('Notes: 1');
    const record = loadedSession(await store.load('notes'));
    expect(record?.state.plugins['notes']?.data).toEqual({
      notes: [{ key: 'hotel', value: 'Hill', by: 'person' }],
      deleted: ['train'],
    });
    await Promise.all([first.dispose(), second.dispose()]);
  });

  it('a chat marks the messages that the model reads as a summary, and shows the summary', async () => {
    const agent = defineAgent({
      plugins: [compaction({ contextWindow: 400 })],
      inference: scriptedInference([
        { text: 'A long report. '.repeat(80) },
        { text: 'They have a report.' },
        { text: 'Of cranes.' },
      ]),
    });
    const session = createAgentSession({ agent });
    const { container } = render(
      <AgentSessionProvider session={session}>
        <ConversationView />
      </AgentSessionProvider>,
    );
    await act(() => session.sendMessage('Read it.'));
    expect(screen.queryByText(/reads a summary/)).toBeNull();
    await act(() => session.sendMessage('Of what?'));
    fireEvent.click(await screen.findByText('The model reads a summary of the messages above'));
    await screen.findByText('They have a report.');
    const shown = container.textContent;
    const places = ['A long report.', 'The model reads', 'Of what?', 'Of cranes.'].map((words) =>
      shown.indexOf(words),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    await session.dispose();
  });

  it('plugins of the application that are named as those of the library are left to it', async () => {
    const own = (id: string) =>
      definePlugin({ id, state: z.unknown(), initial: { items: ['a'], through: 7 } });
    const agent = defineAgent({
      plugins: [own('tasks'), own('notes'), own('compaction')],
      inference: scriptedInference([{ text: 'Hello.' }]),
    });
    const session = createAgentSession({ agent });
    const { container } = render(
      <AgentSessionProvider session={session}>
        <Todos />
        <Notes />
        <ConversationView />
        <p>Shown</p>
      </AgentSessionProvider>,
    );
    await act(() => session.sendMessage('Hi'));
    expect(container.textContent).toBe('HiHello.Answer: Hello.Shown');
    await session.dispose();
  });

  it('a tool of the application that is named as the questions are is left to it', async () => {
    const agent = defineAgent({
      tools: [{ ...askUser(), input: null }],
      inference: scriptedInference([{ toolCalls: [{ name: 'ask_user', input: { question: 'Which?' } }] }]),
    });
    const session = createAgentSession({ agent });
    await session.sendMessage('Paint it.');
    const [call] = AgentState.pendingApprovals(session.store.getState().state);
    expect(call?.status).toBe('awaiting-output');
    const { container } = render(
      <AgentSessionProvider session={session}>
        <Questions />
      </AgentSessionProvider>,
    );
    await waitFor(() => expect(container.innerHTML).toBe(''));
    await session.dispose();
  });
});
