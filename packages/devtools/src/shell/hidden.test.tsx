import { act, fireEvent, render, waitFor, within } from '@testing-library/react';
import { AgentState, createAgentSession, defineAgent } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closePage } from '../devtools-page.fixture.tsx';
import { AgentDevtools, definePanelTab } from '../index.ts';
import { summarizeEvent } from '../tabs/events/summarize-event.ts';
import { texts } from '../texts.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closePage();
});

const secret = 'hunter2hunter2';
const address = `https://me:${secret}@files.example/x`;
const root = (): HTMLElement | null | undefined =>
  document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector<HTMLElement>('.root');

describe('a secret outside of values', () => {
  it('a secret in a name or in an error message of a view is not shown', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const View = (): never => {
      throw new Error(`No answer of ${address}`);
    };
    render(<AgentDevtools initialIsOpen tabs={[definePanelTab({ id: 'bad', label: 'Bad', View })]} />);
    await waitFor(() => expect(root()).toBeTruthy());
    const panel = within(root()!);
    const agent = defineAgent({ name: 'a', inference: scriptedInference([{ text: 'Done' }]) });
    const initialState = AgentState.withMetadata(AgentState.create(), { [address]: { [address]: 1 } });
    const session = createAgentSession({ agent, initialState });
    await act(() => session.sendMessage('Go'));
    await act(() => session.update((state) => AgentState.withMetadata(state, { [`${address}2`]: 2 })));
    await panel.findByText(/^It finished after 1 step/);
    const seen: string[] = [];
    const look = async (name: string): Promise<void> => {
      fireEvent.click(panel.getAllByRole('tab', { name }).at(-1)!);
      await act(() => Promise.resolve());
      seen.push(root()!.outerHTML);
    };
    for (const name of ['State', 'Events', 'Bad', 'Run']) await look(name);
    fireEvent.click(panel.getByText(/metadata/, { selector: '.key' }));
    await look('State');
    fireEvent.click(panel.getAllByText(/files\.example/, { selector: '.key' })[0]!);
    await look('State');
    fireEvent.change(panel.getByLabelText('Search the state'), { target: { value: 'files' } });
    await panel.findAllByText(/files\.example/, { selector: '.path' });
    seen.push(root()!.outerHTML);
    const has = (text: string): boolean => seen.join('').includes(text);
    expect([has('This view failed'), has('files.example'), has(secret)]).toEqual([true, true, false]);
    await session.dispose();
  });

  it("a secret in an event is not part of the event's summary", () => {
    const event = { type: 'attachment-missing', filename: address, path: [], at: 0, seq: 1 };
    const entry = { number: 1, count: 1, stepNumber: null, toolName: null, event };
    expect(summarizeEvent(entry as never, texts)).toBe('https://•••@files.example/x is not in the store');
  });
});
