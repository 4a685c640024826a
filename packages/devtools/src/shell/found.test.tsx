import { act, fireEvent, within } from '@testing-library/react';
import { AgentState } from '@vitrine/core';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage, panelAfterTwoRuns } from '../devtools-page.fixture.tsx';

afterEach(closePage);

type Panel = ReturnType<typeof within>;

const field = (panel: Panel): HTMLElement => panel.getByLabelText('Search everything');
const list = (panel: Panel): HTMLElement => panel.getByRole('listbox', { name: 'Found' });

describe('what a search has found', () => {
  it('begins with the first again when something else is looked for', async () => {
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

  it('is told as the first of more, where there is more than is looked for', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    await act(async () => {
      for (let at = 0; at < 520; at++)
        await session.update((state) => AgentState.withMetadata(state, { at }));
    });
    fireEvent.change(field(panel), { target: { value: 'metadata-change' } });
    expect(await panel.findByText('The first 500 found; there may be more.')).toBeTruthy();
  });
});

describe('the menu of commands', () => {
  it('keeps the focus, and shows the command that the arrow keys have come to', async () => {
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
