import { act, fireEvent, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { defineHook, definePlugin, PluginState } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import * as z from 'zod';
import { closePage, echoSession, openedPanel, panelAfterTwoRuns } from '../../devtools-page.fixture.tsx';

afterEach(closePage);

type Panel = ReturnType<typeof within>;

const lanes = (panel: Panel): HTMLElement[] =>
  within(panel.getByRole('tree', { name: 'Steps' })).queryAllByRole('treeitem');
const tab = (panel: Panel, name: string): HTMLElement =>
  within(panel.getByRole('tablist', { name: 'Views' })).getByRole('tab', { name });
const search = async (panel: Panel, text: string): Promise<HTMLElement[]> => {
  fireEvent.change(panel.getByLabelText('Search everything'), { target: { value: text } });
  return within(await panel.findByRole('listbox', { name: 'Found' })).findAllByRole('option');
};

describe('the filter of steps', () => {
  it('the tool filter is ignored for a run that did not call the tool, and applies again to one that did', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    const tool = (): HTMLSelectElement | null => panel.queryByLabelText('Tool') as HTMLSelectElement | null;
    fireEvent.click(panel.getByRole('button', { name: 'Filter' }));
    fireEvent.change(tool()!, { target: { value: 'echo' } });
    expect(lanes(panel)).toHaveLength(2);
    await act(() => session.sendMessage('Third question'));
    await panel.findByText('run 3');
    // The script has ended, so this run makes no call.
    await act(() => session.sendMessage('Fourth question'));
    await panel.findByText('run 4');
    expect(tool()).toBeNull();
    expect(panel.queryByText('No step matches the filter.')).toBeNull();
    expect(lanes(panel).length).toBeGreaterThan(0);
    const runs = panel.getByRole('combobox', { name: 'Run' }) as HTMLSelectElement;
    fireEvent.change(runs, { target: { value: runs.options[0]!.value } });
    expect(tool()?.value).toBe('echo');
  });
});

describe('the selected step', () => {
  it('the selected step stays selected after a visit to another view, despite an earlier search', async () => {
    const { panel } = await panelAfterTwoRuns();
    const hits = await search(panel, 'echo of two');
    fireEvent.click(hits[0]!);
    expect(panel.getByRole('region', { name: 'Step 1' })).toBeTruthy();
    fireEvent.click(lanes(panel).at(-1)!);
    fireEvent.click(
      within(panel.getByRole('tablist', { name: /^Views of/ })).getByRole('tab', { name: 'Why' }),
    );
    fireEvent.click(tab(panel, 'Events'));
    fireEvent.click(tab(panel, 'Run'));
    expect(panel.getByRole('region', { name: 'Step 2' })).toBeTruthy();
    expect(panel.getByText('Questions of shouldStop, in order')).toBeTruthy();
  });
});

describe('the rows of changes outside of steps', () => {
  const titles = (panel: Panel): string[] => lanes(panel).map(({ textContent }) => textContent ?? '');

  it('changes before the first step and behind the last one have a row each, with their writers', async () => {
    const panel = await openedPanel();
    const seen = defineHook({
      name: 'look-up',
      on: 'before-execution',
      run: (state) => PluginState.set(state, page, 7),
    });
    const page = definePlugin({ id: 'page', state: z.number(), initial: 1 });
    const session = echoSession(['one'], { plugins: [page], hooks: [seen] });
    await act(() => session.sendMessage('First question'));
    await panel.findByText(/^It finished after 2 steps/);
    expect(titles(panel)[0]).toBe('Before the first steplook-up');
    expect(lanes(panel).filter(({ textContent }) => textContent?.startsWith('After'))).toEqual([]);
    // The last step is shown until a person chooses a row.
    expect(panel.getByRole('region', { name: 'Step 2' })).toBeTruthy();
    await act(async () => void (await session.update((state) => PluginState.set(state, page, 9))));
    await panel.findByText('After the last step');
    expect(panel.getByRole('region', { name: 'Step 2' })).toBeTruthy();
    const tree = panel.getByRole('tree', { name: 'Steps' });
    fireEvent.keyDown(tree, { key: 'Home' });
    const before = within(panel.getByRole('region', { name: 'Before the first step' }));
    expect(before.getByText('Changed outside of steps (2)')).toBeTruthy();
    expect(before.getByText('written by look-up')).toBeTruthy();
    expect(before.getByText(/^plugin page/).closest('li')?.textContent).toContain('7');
    fireEvent.keyDown(tree, { key: 'ArrowDown' });
    expect(panel.getByRole('region', { name: 'Step 1' })).toBeTruthy();
    fireEvent.keyDown(tree, { key: 'End' });
    const after = within(panel.getByRole('region', { name: 'After the last step' }));
    expect(after.getByText(/7 → 9/).textContent).toContain('written by app');
    // The next run has them before its first step.
    await act(() => session.sendMessage('Second question'));
    await panel.findByText('run 2');
    fireEvent.keyDown(tree, { key: 'Home' });
    expect(titles(panel)[0]).toBe('Before the first stepapp, look-up');
    expect(lanes(panel).filter(({ textContent }) => textContent?.startsWith('After'))).toEqual([]);
  });
});

describe('a search result that is an event', () => {
  it('an event that was cleared from the log is shown again when a search result opens it', async () => {
    const { panel } = await panelAfterTwoRuns();
    fireEvent.click(tab(panel, 'Events'));
    fireEvent.click(panel.getByText('Clear'));
    expect(panel.getByText('No events yet.')).toBeTruthy();
    const [hit] = (await search(panel, 'execution-start')).filter(({ textContent }) =>
      textContent?.startsWith('Event'),
    );
    fireEvent.click(hit!);
    expect(panel.getByText('execution-start').closest('[data-found]')?.getAttribute('data-found')).toBe(
      'true',
    );
  });
});

describe('the marks and figures of a row', () => {
  it('the rows of a tool have a mark while a breakpoint stops at it, and no other row has one', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    const marked = (): string[] =>
      panel
        .queryAllByRole('img', { name: 'A breakpoint stops here' })
        .map((mark: HTMLElement) => mark.closest('[role="treeitem"]')?.textContent ?? '');
    expect(marked()).toEqual([]);
    await act(
      async () => void (await session.setBreakpoint({ type: 'tool', toolName: 'echo' }, { id: 'b' })),
    );
    await expect.poll(marked).toEqual([expect.stringMatching(/^echo/)]);
    await act(async () => void (await session.removeBreakpoint('b')));
    await expect.poll(marked).toEqual([]);
  });

  it('only the rows whose call meets the condition of a breakpoint on arguments and agent have its mark', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    const marks = (): number => panel.queryAllByRole('img', { name: 'A breakpoint stops here' }).length;
    const set = (id: string, input: object, agent?: string) =>
      act(async () => {
        const on = { type: 'tool', toolName: 'echo', input: input as never, agent } as const;
        await session.setBreakpoint(on, { id });
      });
    await set('other', { text: 'no such text' });
    await set('stranger', { text: 'two' }, 'another agent');
    await set('own', { text: 'two' }, 'helper');
    await expect.poll(marks).toBe(1);
    await act(async () => void (await session.removeBreakpoint('own')));
    await expect.poll(marks).toBe(0);
  });

  it('a step says its share of the cost, when the run has other steps', async () => {
    const panel = await openedPanel();
    const prices = { m: { input: 1, output: 1 } };
    const session = echoSession(['one'], {
      llmConfig: { model: 'm', prices },
      inference: scriptedInference([
        { toolCalls: [{ name: 'echo', input: { text: 'one' } }], usage: { inputTokens: 3_000_000 } },
        { text: 'Done', usage: { inputTokens: 1_000_000 } },
      ]),
    });
    await act(() => session.sendMessage('First question'));
    await panel.findByText(/· 75 %$/);
    expect(panel.getByText(/· 25 %$/)).toBeTruthy();
  });
});
