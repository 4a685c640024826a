import { act, fireEvent, waitFor, within } from '@testing-library/react';
import { AgentState, createJournal } from '@vitrine/core';
import { exportTrace, type HubSource, createRecorder, sessionHub } from '@vitrine/inspect';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, panelAfterTwoRuns } from '../devtools-page.fixture.tsx';

const leaves: (() => void)[] = [];
afterEach(async () => {
  act(() => leaves.splice(0).forEach((leave) => leave()));
  await closePage();
});

type Panel = ReturnType<typeof within>;

function announce(id: string, name = 'helper', state = AgentState.create()): void {
  const source: HubSource = { id, name, journal: createJournal(state) };
  act(() => void leaves.push(sessionHub().register(source)));
}
const list = (panel: Panel): HTMLSelectElement => panel.getByRole('combobox', { name: 'Session' });
function slider(panel: Panel): HTMLInputElement {
  const open = panel.queryByRole('button', { name: 'Look back' });
  if (open) fireEvent.click(open);
  return panel.getByRole('slider', { name: 'Moment' });
}
const names = (panel: Panel): string[] => [...list(panel).options].map(({ text }) => text);

describe('the sessions of a page', () => {
  it('sessions are named after their first question, otherwise by as much of their id as is unique', async () => {
    const { panel } = await panelAfterTwoRuns();
    for (const id of ['conversation-1', 'conversation-2', 'conversation-2']) announce(id);
    announce('conversation-3', 'writer');
    expect(names(panel)).toEqual([
      'helper · First question',
      'helper · conversation-1',
      'helper · conversation-2 (1)',
      'helper · conversation-2 (2)',
      'writer · conversa',
    ]);
  });

  it('sessions with the same question are told apart by the ends of their ids', async () => {
    const { panel } = await panelAfterTwoRuns();
    const asked = AgentState.withUserMessage(AgentState.create(), 'The same');
    for (const id of ['01a215cd-a8e1-7000-aaaa', '01a215cd-a8e2-7000-bbbb']) announce(id, 'helper', asked);
    expect(names(panel).slice(1)).toEqual(['helper · The same · 000-aaaa', 'helper · The same · 000-bbbb']);
  });

  it('sessions of one recorded program stand in a group, and others in none', async () => {
    const { panel } = await panelAfterTwoRuns();
    for (const [id, program] of [
      ['a', 'python agent.py password=swordfish'],
      ['b', 'Single calls'],
      ['c', 'python agent.py password=swordfish'],
    ] as const)
      announce(id, 'helper', AgentState.withMetadata(AgentState.create(), { program }));
    const groups = [...list(panel).querySelectorAll('optgroup')];
    expect(groups.map(({ label, children }) => [label, children.length])).toEqual([
      ['python agent.py password=•••', 2],
      ['Single calls', 1],
    ]);
    expect(names(panel)).toEqual(['helper · First question', 'helper · a', 'helper · c', 'helper · b']);
    fireEvent.change(list(panel), { target: { value: '3' } });
    expect(list(panel).selectedOptions[0]?.text).toBe('helper · c');
  });

  it('a new session is shown until the person interacts with the shown one', async () => {
    const { panel } = await panelAfterTwoRuns();
    announce('second');
    expect(panel.getByText('It has not run yet.')).toBeTruthy();
    fireEvent.change(list(panel), { target: { value: '0' } });
    fireEvent.change(list(panel), { target: { value: '1' } });
    announce('third');
    expect(list(panel).selectedOptions[0]?.text).toBe('helper · second');
  });

  it('a new session does not replace one that is shown at a past moment', async () => {
    const { panel } = await panelAfterTwoRuns();
    fireEvent.change(slider(panel), { target: { value: '3' } });
    announce('second');
    expect(slider(panel).value).toBe('3');
    expect(panel.getByText('Back to live')).toBeTruthy();
  });
});

describe('an opened trace', () => {
  const traces = (): readonly HubSource[] =>
    sessionHub()
      .sources()
      .filter(({ id }) => id.startsWith('trace'));

  /** Opens a file of this name with the session of the page. */
  function openTrace(panel: Panel, name: string): void {
    const recorder = createRecorder();
    const record = recorder.read(sessionHub().sources()[0]!);
    recorder.dispose();
    const text = JSON.stringify(exportTrace(record, { name: 'helper', exportedAt: 5 }).document);
    const files = [new File([text], name)];
    fireEvent.change(panel.getByLabelText('Trace file to open'), { target: { files } });
  }

  it('a trace is listed once however often it is opened, and is removed with the panel', async () => {
    const { panel } = await panelAfterTwoRuns();
    openTrace(panel, 'one.json');
    await waitFor(() => expect(traces()).toHaveLength(1));
    const [first] = traces();
    openTrace(panel, 'one.json');
    await waitFor(() => expect(traces()[0]).not.toBe(first));
    openTrace(panel, 'two.json');
    await waitFor(() => expect(traces()).toHaveLength(2));
    expect(new Set(names(panel)).size).toBe(3);
    await closePage();
    expect(traces()).toEqual([]);
  });

  it('a trace has a close button, which a session has not', async () => {
    const { panel } = await panelAfterTwoRuns();
    const closing = (): HTMLElement | null => panel.queryByRole('button', { name: 'Close trace' });
    const menu = (): boolean => fireEvent.click(panel.getByRole('button', { name: 'Menu' }));
    menu();
    expect(closing()).toBeNull();
    openTrace(panel, 'one.json');
    await waitFor(() => expect(traces()).toHaveLength(1));
    menu();
    await waitFor(() => expect(closing()).not.toBeNull());
    fireEvent.click(closing()!);
    await waitFor(() => expect(closing()).toBeNull());
    expect(traces()).toEqual([]);
    await closePage();
  });

  it('a trace ends, and is not called live', async () => {
    const { panel } = await panelAfterTwoRuns();
    expect(panel.getByText('live')).toBeTruthy();
    openTrace(panel, 'one.json');
    await panel.findByText('end of the trace');
    expect(panel.queryByText('live')).toBeNull();
    await closePage();
  });
});
