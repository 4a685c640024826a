import { act, fireEvent, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, panelAfterTwoRuns } from '../../devtools-page.fixture.tsx';

afterEach(closePage);

type Opened = Awaited<ReturnType<typeof panelAfterTwoRuns>>;

const settle = (): Promise<void> => act(() => new Promise<void>((resolve) => setTimeout(resolve, 150)));

function step({ panel }: Opened, number: number, view: string): ReturnType<typeof within> {
  const rows = within(panel.getByRole('tree', { name: 'Steps' }))
    .getAllByRole('treeitem')
    .filter((row) => row.getAttribute('aria-level') === '1');
  fireEvent.click(rows[number - 1]!);
  const tabs = within(panel.getByRole('tablist', { name: `Views of step ${number}` }));
  fireEvent.click(tabs.getByRole('tab', { name: view }));
  return within(panel.getByRole('region', { name: `Step ${number}` }));
}

/** Sets a breakpoint before the tool, in two clicks on its row, and begins a run that hits it. */
async function paused(): Promise<Opened> {
  const opened = await panelAfterTwoRuns();
  const tools = within(step(opened, 1, 'Tools').getByRole('group', { name: 'Tools' }));
  fireEvent.click(tools.getByRole('button', { name: 'Break: set a breakpoint' }));
  fireEvent.click(tools.getByRole('button', { name: 'before echo' }));
  await settle();
  await act(() => opened.session.sendMessage('Third question'));
  await opened.panel.findByText('Paused in step 1, before the call of echo');
  return opened;
}

describe('the debugger of the panel', () => {
  it('a breakpoint is set on a row, is shown, and is removed again', async () => {
    const opened = await panelAfterTwoRuns();
    const inspector = step(opened, 1, 'Sent');
    fireEvent.click(inspector.getByRole('button', { name: 'Break: set a breakpoint' }));
    fireEvent.click(inspector.getByRole('button', { name: 'before each model call' }));
    await settle();
    expect(opened.session.store.getState().state.breakpoints).toMatchObject([{ on: { type: 'model' } }]);
    fireEvent.click(
      opened.panel.getByRole('button', { name: 'Remove the breakpoint before each model call' }),
    );
    await settle();
    expect(opened.session.store.getState().state.breakpoints).toEqual([]);
  });

  it('a run that waits says where, and is released with edited arguments', async () => {
    const { panel, session } = await paused();
    expect(panel.getByText('It waits for your release at a breakpoint.')).toBeTruthy();
    fireEvent.click(panel.getByRole('button', { name: 'Edit and release' }));
    const value = panel.getByRole('textbox', { name: 'New value' });
    const send = (): boolean => fireEvent.submit(value.closest('form')!);
    fireEvent.change(value, { target: { value: '{' } });
    send();
    expect((await panel.findByRole('alert')).textContent).toBe('This is no JSON.');
    fireEvent.change(value, { target: { value: '{"text": 5}' } });
    send();
    await settle();
    expect(panel.getByRole('alert').textContent).toMatch(/^echo does not take this: text: /);
    expect(session.store.getState().activity).toEqual({ type: 'paused' });
    fireEvent.change(value, { target: { value: '{"text": "edited"}' } });
    send();
    await settle();
    expect(session.store.getState().status).toBe('ready');
    const [call] = session.store.getState().state.execution!.stepExecutions[0]!.step.toolExecutions;
    expect(call).toMatchObject({ toolCall: { input: { text: 'edited' } }, result: 'echo of edited' });
  });

  it('a breakpoint for some calls only is set by their arguments, their agent or a cost, in words', async () => {
    const opened = await panelAfterTwoRuns();
    const tools = within(step(opened, 1, 'Tools').getByRole('group', { name: 'Tools' }));
    fireEvent.click(tools.getByRole('button', { name: 'Break: set a breakpoint' }));
    const write = (label: string, value: string): void =>
      void fireEvent.change(tools.getByLabelText(label), { target: { value } });
    write('Only with arguments (JSON)', '{"text": ');
    expect(tools.getByRole('alert').textContent).toBe('This is no JSON.');
    expect(tools.getByRole('button', { name: 'before echo' })).toHaveProperty('disabled', true);
    write('Only with arguments (JSON)', '{"text": "never"}');
    write('Only of the agent', 'kid');
    fireEvent.click(tools.getByRole('button', { name: 'before echo with {"text":"never"} in kid' }));
    await settle();
    fireEvent.click(tools.getByRole('button', { name: 'Break: set a breakpoint' }));
    write('Above a cost of', '2');
    fireEvent.click(tools.getByRole('button', { name: /^once it has cost more than/ }));
    await settle();
    expect(opened.session.store.getState().state.breakpoints).toMatchObject([
      { on: { type: 'tool', toolName: 'echo', input: { text: 'never' }, agent: 'kid' } },
      { on: { type: 'cost', over: 2 } },
    ]);
    await act(() => opened.session.sendMessage('Third question'));
    expect(opened.session.store.getState().status, 'no call has these arguments').toBe('ready');
  });

  it('a run goes on call by call', async () => {
    const { panel, session } = await paused();
    fireEvent.click(panel.getByRole('button', { name: 'Step over' }));
    await settle();
    await panel.findByText('Paused in step 2, before its model call');
    fireEvent.click(panel.getByRole('button', { name: 'Release' }));
    await settle();
    expect(session.store.getState().status).toBe('ready');
  });

  it('forks of a step stand side by side, with their difference from the record', async () => {
    const opened = await panelAfterTwoRuns();
    const page = step(opened, 1, 'Fork');
    const choose = await page.findByRole('combobox', { name: 'Edit' });
    fireEvent.change(choose, { target: { value: [...(choose as HTMLSelectElement).options].at(-1)!.value } });
    const value = page.getByRole('textbox', { name: 'New value' });
    fireEvent.change(value, { target: { value: '"another echo"' } });
    fireEvent.submit(value.closest('form')!);
    await settle();
    fireEvent.click(page.getByRole('button', { name: 'Run the fork' }));
    await settle();
    const table = within(await page.findByRole('table', { name: 'Forks side by side' }));
    expect(table.getAllByRole('columnheader')).toHaveLength(3);
    await table.findByText(/^step 1: echo\(.*echo of two.* → echo\(.*another echo/);
    expect(opened.session.store.getState().status, 'the recorded session is as it was').toBe('ready');
  });

  it('a call that the record does not have waits in its fork until a person runs, answers or skips it', async () => {
    const opened = await panelAfterTwoRuns();
    const page = step(opened, 1, 'Fork');
    await page.findByText('The record answers 1 × echo.');
    const choose = await page.findByRole('combobox', { name: 'Edit' });
    const value = page.getByRole('textbox', { name: 'New value' });
    for (const text of ['one', 'two', 'three']) {
      fireEvent.change(choose, {
        target: { value: [...(choose as HTMLSelectElement).options].at(-2)!.value },
      });
      fireEvent.change(value, { target: { value: JSON.stringify({ text }) } });
      fireEvent.submit(value.closest('form')!);
      await settle();
    }
    fireEvent.click(page.getByRole('button', { name: 'Run 3 forks' }));
    const held = async (text: string): Promise<ReturnType<typeof within>> =>
      within(
        await page.findByRole('group', { name: `The record has no echo({"text":"${text}"}), so it waits` }),
      );
    fireEvent.click((await held('one')).getByRole('button', { name: 'Run it' }));
    // The script of the model calls a tool once more, in the fork that asks first: this one, which nobody opens.
    await page.findByRole('group', { name: /"text":"three","password"/ });
    fireEvent.click((await held('three')).getByRole('button', { name: 'Skip' }));
    fireEvent.click((await held('two')).getByRole('button', { name: 'Give a result' }));
    const result = await (await held('two')).findByRole('textbox', { name: 'New value' });
    fireEvent.change(result, { target: { value: '"given"' } });
    fireEvent.submit(result.closest('form')!);
    await settle();
    const table = within(page.getByRole('table', { name: 'Forks side by side' }));
    await waitFor(() => expect(table.getAllByText(/^1 run/)).toHaveLength(1));
    await waitFor(() => expect(table.getAllByText(/^1 by you/)).toHaveLength(2));
    fireEvent.click(table.getByRole('button', { name: /^Open the fork .*"two"/ }));
    await opened.panel.findByText(/^It finished/);
    const tools = within(step(opened, 1, 'Tools').getByRole('group', { name: 'Tools' }));
    expect(tools.getByText(/given/)).toBeTruthy();
  });
});
