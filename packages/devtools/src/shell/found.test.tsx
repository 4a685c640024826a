import { act, fireEvent, within } from '@testing-library/react';
import { AgentState } from '@vitrine/core';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, panelAfterTwoRuns } from '../devtools-page.fixture.tsx';

afterEach(closePage);

type Panel = ReturnType<typeof within>;

const field = (panel: Panel): HTMLElement => panel.getByLabelText('Search everything');
const list = (panel: Panel): HTMLElement => panel.getByRole('listbox', { name: 'Found' });

describe('the results of a search', () => {
  it('a new search selects the first result again', async () => {
    const { panel } = await panelAfterTwoRuns();
    fireEvent.change(field(panel), { target: { value: 'e' } });
    await panel.findByRole('listbox', { name: 'Found' });
    fireEvent.keyDown(list(panel), { key: 'End' });
    fireEvent.change(field(panel), { target: { value: 'Be kind' } });
    expect(await panel.findByText(/^\d found$/)).toBeTruthy();
    expect(within(list(panel)).getAllByRole('option')[0]?.getAttribute('aria-selected')).toBe('true');
    fireEvent.keyDown(list(panel), { key: 'Enter' });
    expect(panel.getByText('Be kind.')).toBeTruthy();
  });

  it('a search with too many results says that there may be more', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    await act(async () => {
      for (let at = 0; at < 520; at++)
        await session.update((state) => AgentState.withMetadata(state, { at }));
    });
    fireEvent.change(field(panel), { target: { value: 'metadata-change' } });
    expect(await panel.findByText('The first 500 found; there may be more.')).toBeTruthy();
  });
});

describe('the command menu', () => {
  it('the command menu keeps the focus and scrolls to the selected command', async () => {
    const { panel } = await panelAfterTwoRuns();
    fireEvent.click(panel.getByText('Commands'));
    const input = panel.getByRole('combobox', { name: 'Command' });
    const shown: (string | null)[] = [];
    Element.prototype.scrollIntoView = function show(this: Element) {
      shown.push(this.textContent);
    };
    fireEvent.keyDown(input, { key: 'ArrowUp' });
    expect(shown.at(-1)).toBe('Close devtools');
    expect(fireEvent.keyDown(input, { key: 'Tab' })).toBe(false);
    Reflect.deleteProperty(Element.prototype, 'scrollIntoView');
  });
});
