import { act, fireEvent, render, waitFor, within } from '@testing-library/react';
import { AgentState, createAgentLoop, createJournal, defineAgent } from '@vitrine/core';
import { sessionHub } from '@vitrine/inspect';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, echo } from '../devtools-page.fixture.tsx';
import { AgentDevtools } from '../index.ts';

let leave = (): void => undefined;
afterEach(async () => {
  act(leave);
  await closePage();
});

type Panel = ReturnType<typeof within>;

/**
 * Opens the panel on a session of three runs. The last one is in the state; the first one is in the store
 * if `isKept`.
 */
async function panelOnStored(isKept: boolean): Promise<Panel> {
  const words = ['one', 'two', 'three'];
  const inference = scriptedInference(
    words.flatMap((text) => [
      { toolCalls: [{ name: 'echo', input: { text } }], usage: { inputTokens: 4, outputTokens: 1 } },
      { text: `Answer to ${text}`, usage: { inputTokens: 4, outputTokens: 1 } },
    ]),
  );
  const loop = createAgentLoop(defineAgent({ name: 'helper', tools: [echo], inference }));
  const states: AgentState[] = [];
  for (const text of words) {
    const before = states.at(-1) ?? AgentState.create();
    states.push(await loop.execute(AgentState.withUserMessage(before, `Question ${text}`)));
  }
  const journal = createJournal(states.at(-1)!);
  const runs = isKept ? [states[0]!.execution!] : [];
  const past = (): Promise<object> =>
    Promise.resolve({ runs, journal: { id: journal.id, base: journal.base, events: [] } });
  leave = sessionHub().register({ id: 'kept', name: 'helper', journal, past } as never);
  render(<AgentDevtools initialIsOpen />);
  const find = (): HTMLElement | null | undefined =>
    document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector<HTMLElement>('.root');
  await waitFor(() => expect(find()?.textContent).toContain('run 3'));
  return within(find()!);
}

const runs = (panel: Panel): HTMLSelectElement => panel.getByRole('combobox', { name: 'Run' });
const choose = (panel: Panel, index: number): void => {
  const { value } = runs(panel).options[index]!;
  fireEvent.change(runs(panel), { target: { value } });
};

describe('a run of which only the steps are stored', () => {
  it('a stored run has its own number, and a search finds its content', async () => {
    const panel = await panelOnStored(true);
    await waitFor(() => expect(runs(panel).options[0]?.text).toBe('Run 1 · Question one (from the store)'));
    choose(panel, 0);
    expect(panel.getByText('run 1')).toBeTruthy();
    fireEvent.click(panel.getByText('Back to live'));
    fireEvent.change(panel.getByLabelText('Search everything'), { target: { value: 'echo of' } });
    const list = within(await panel.findByRole('listbox', { name: 'Found' }));
    await waitFor(() => expect(panel.queryByText('Searching…')).toBeNull());
    expect(list.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Run 1, step 1, call of echo.*echo of one/),
      expect.stringMatching(/^Run 1, step 2, sent, tool.*echo of one/),
      // Later messages were not left out of the request of an earlier run.
      expect.stringMatching(/^Run 3, step 1, left out.*echo of two/),
      expect.stringMatching(/^Run 3, step 1, call of echo.*echo of three/),
      expect.stringMatching(/^Run 3, step 2, sent, tool.*echo of three/),
    ]);
    fireEvent.click(list.getAllByRole('option')[0]!);
    expect(panel.getByText('run 1')).toBeTruthy();
    expect(panel.getByText('echo of one').closest('.item')?.getAttribute('data-found')).toBe('true');
  });
});

describe('a run of which only messages are left', () => {
  it('a run without stored result does not show the result of the last run', async () => {
    const panel = await panelOnStored(false);
    choose(panel, 1);
    expect(panel.getByText('Answer to two')).toBeTruthy();
    expect(panel.getByText('run 2')).toBeTruthy();
    expect(panel.getByText('The result of this run was not stored.')).toBeTruthy();
    expect(panel.queryByText(/^It finished/)).toBeNull();
    expect(panel.queryByText(/ tok$/)).toBeNull();
  });
});
