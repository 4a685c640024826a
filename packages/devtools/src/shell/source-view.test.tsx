import { act, fireEvent, render, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, echoSession, panelAfterTwoRuns } from '../devtools-page.fixture.tsx';
import { AgentDevtools } from '../index.ts';

afterEach(closePage);

type Opened = Awaited<ReturnType<typeof panelAfterTwoRuns>>['panel'];

const runs = (panel: Opened): HTMLSelectElement => panel.getByRole('combobox', { name: 'Run' });
function slider(panel: Opened): HTMLInputElement {
  const open = panel.queryByRole('button', { name: 'Look back' });
  if (open) fireEvent.click(open);
  return panel.getByRole('slider', { name: 'Moment' });
}
const move = (panel: Opened, value: string): boolean =>
  fireEvent.change(slider(panel), { target: { value } });

describe('the runs of a session', () => {
  it('an earlier run can be selected after the next message', async () => {
    const { panel } = await panelAfterTwoRuns();
    expect([...runs(panel).options].map(({ text }) => text)).toEqual([
      'Run 1 · First question',
      'Run 2 · Second question',
    ]);
    fireEvent.change(runs(panel), { target: { value: runs(panel).options[0]!.value } });
    expect(panel.getByText('run 1')).toBeTruthy();
    expect(within(panel.getByRole('region', { name: 'Step 2' })).getByText('First question')).toBeTruthy();
    fireEvent.click(panel.getByText('Back to live'));
    expect(panel.getByText('run 2')).toBeTruthy();
  });

  it('runs before the panel opened are shown from the stored state or their messages', async () => {
    const session = echoSession(['one', 'two']);
    await session.sendMessage('First question');
    await session.sendMessage('Second question');
    render(<AgentDevtools initialIsOpen />);
    const find = (): HTMLElement | null | undefined =>
      document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector<HTMLElement>('.root');
    await waitFor(() => expect(find()?.textContent).toContain('run 2'));
    const panel = within(find()!);
    expect([...runs(panel).options].map(({ text }) => text)).toEqual([
      'Run 1 · First question (messages only)',
      'Run 2 · Second question (from the stored state)',
    ]);
    await panel.findByText(/events of this step were not recorded/);
    fireEvent.change(runs(panel), { target: { value: runs(panel).options[0]!.value } });
    expect(panel.getByText(/only the messages of this run are left/)).toBeTruthy();
    expect(panel.getByText('Answer to one')).toBeTruthy();
  });
});

describe('the moments of a record', () => {
  it('moving through moments does not change the session', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    const before = session.store.getState().state;
    move(panel, slider(panel).min);
    expect(panel.getByText('It had not run yet.')).toBeTruthy();
    expect(slider(panel).getAttribute('aria-valuetext')).toBe('before the first event');
    fireEvent.keyDown(slider(panel), { key: ']' });
    expect(slider(panel).getAttribute('aria-valuetext')).toMatch(/step 1, step-start/);
    expect(panel.getByText('run 1')).toBeTruthy();
    fireEvent.keyDown(slider(panel), { key: '[' });
    expect(panel.getByText('It had not run yet.')).toBeTruthy();
    expect(session.store.getState().state).toBe(before);
    fireEvent.keyDown(slider(panel), { key: 'Escape' });
    expect(panel.getByText(/^It finished after 2 steps/)).toBeTruthy();
  });

  it('a selected moment stays selected when events arrive, and their number is shown', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    move(panel, slider(panel).min);
    await act(() => session.sendMessage('Third question'));
    expect(await panel.findByText(/^\+\d+ new$/)).toBeTruthy();
    expect(panel.getByText('It had not run yet.')).toBeTruthy();
    fireEvent.click(panel.getByText('Back to live'));
    expect(await panel.findByText('run 3')).toBeTruthy();
  });
});

describe('a search over everything', () => {
  const search = async (panel: Opened, text: string): Promise<HTMLElement[]> => {
    fireEvent.change(panel.getByLabelText('Search everything'), { target: { value: text } });
    const list = await panel.findByRole('listbox', { name: 'Found' });
    await waitFor(() => expect(panel.queryByText('Searching…')).toBeNull());
    return within(list).queryAllByRole('option');
  };

  it('a search result opens its run and view', async () => {
    const { panel } = await panelAfterTwoRuns();
    const hits = await search(panel, 'echo of one');
    const hit = hits.find((row) => row.textContent?.startsWith('Run 1, step 1, call of echo'));
    fireEvent.click(hit!);
    expect(panel.getByText('run 1')).toBeTruthy();
    const tab = within(panel.getByRole('tablist', { name: 'Views of step 1' })).getByRole('tab', {
      name: 'Tools',
    });
    expect(tab.getAttribute('aria-selected')).toBe('true');
    const found = panel.getByText('echo of one').closest('.item') as HTMLElement;
    expect(found.dataset['found']).toBe('true');
    expect((found.getRootNode() as ShadowRoot).activeElement).toBe(found);
  });

  it('a search finds tools, prompts and events, works by keyboard and finds no secrets', async () => {
    const { panel } = await panelAfterTwoRuns();
    const where = async (text: string): Promise<string> =>
      (await search(panel, text)).map((row) => row.textContent).join('\n');
    expect(await where('Be kind')).toMatch(/system prompt/);
    expect(await where('Says it again')).toMatch(/tool offered/);
    expect(await where('swordfish')).toBe('');
    expect(panel.getByText('Nothing matches.')).toBeTruthy();
    expect(await where('execution-start')).toMatch(/^Event \d+, execution-start/);
    const list = panel.getByRole('listbox', { name: 'Found' });
    fireEvent.keyDown(list, { key: 'Enter' });
    expect(panel.getByRole('tab', { name: 'Events' }).getAttribute('aria-selected')).toBe('true');
    expect(panel.getByText('execution-start').closest('[data-found]')?.getAttribute('data-found')).toBe(
      'true',
    );
  });
});
