import { act, fireEvent, render, waitFor, within } from '@testing-library/react';
import { type AgentSession, createAgentSession, defineAgent } from '@vitrine/core';
import { fakeTool, scriptedInference } from '@vitrine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closePage } from '../../devtools-page.fixture.tsx';
import { AgentDevtools } from '../../index.ts';

let session: AgentSession;
afterEach(async () => {
  await session.dispose();
  await closePage();
});

type Panel = ReturnType<typeof within>;

async function panelOf(init: object): Promise<Panel> {
  render(<AgentDevtools initialIsOpen />);
  const find = (): HTMLElement | null | undefined =>
    document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector<HTMLElement>('.root');
  await waitFor(() => expect(find()).toBeTruthy());
  session = createAgentSession({ agent: defineAgent({ name: 'helper', ...init } as never) });
  return within(find()!);
}

describe('the inspector with subagents', () => {
  it("the inspector shows the agent's budget at its own steps, but not at those of a subagent", async () => {
    const child = defineAgent({ name: 'child', inference: scriptedInference([{ text: 'Seen' }]) });
    const panel = await panelOf({
      subagents: [child],
      budget: { maxSteps: 7 },
      inference: scriptedInference([
        { toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'Look' } }] },
        { text: 'Done' },
      ]),
    });
    await act(() => session.sendMessage('Go'));
    await panel.findByText(/^It finished after 2 steps/);
    const rows: HTMLElement[] = panel.getAllByRole('treeitem');
    fireEvent.click(rows[0]!);
    fireEvent.click(panel.getByRole('tab', { name: 'Why' }));
    expect(panel.getByText('of 7')).toBeTruthy();
    fireEvent.click(rows.find((row) => row.getAttribute('aria-level') === '3')!);
    expect(panel.getByRole('region', { name: 'Step 1 of child' })).toBeTruthy();
    expect(panel.queryByText('of 7')).toBeNull();
  });

  it('a run is forked from a step of its subagent, and the root goes on with the new result', async () => {
    const child = defineAgent({
      name: 'child',
      systemPrompt: 'Look closely.',
      inference: scriptedInference([
        ({ messages }) => ({ text: JSON.stringify(messages).includes('far') ? 'Seen far' : 'Seen near' }),
      ]),
    });
    const requests: unknown[] = [];
    const root = scriptedInference([
      ({ messages }) => {
        requests.push(messages);
        const result = messages.find(({ role }) => role === 'tool');
        return result === undefined
          ? { toolCalls: [{ name: 'delegate', input: { agent: 'child', task: 'Look' } }] }
          : { text: JSON.stringify(result).includes('far') ? 'It is far' : 'It is near' };
      },
    ]);
    const panel = await panelOf({ subagents: [child], inference: root });
    await act(() => session.sendMessage('Go'));
    await panel.findByText(/^It finished after 2 steps/);
    const rows: HTMLElement[] = panel.getAllByRole('treeitem');
    fireEvent.click(rows.find((row) => row.getAttribute('aria-level') === '3')!);
    fireEvent.click(panel.getByRole('tab', { name: 'Fork' }));
    const value = (await panel.findByRole('textbox', { name: 'New value' })) as HTMLTextAreaElement;
    expect(value.value, 'the prompt of the subagent').toBe('Look closely.');
    fireEvent.change(value, { target: { value: 'Look far.' } });
    fireEvent.submit(value.closest('form')!);
    requests.length = 0;
    fireEvent.click(await panel.findByRole('button', { name: 'Run the fork' }));
    const table = within(await panel.findByRole('table', { name: 'Forks side by side' }));
    await table.findByText('It is far');
    await table.findByText(/^step 1: delegate\(.*Seen near.* → delegate\(.*Seen far/);
    expect(requests, 'the first step of the root is not asked for again').toHaveLength(1);
  });

  it('the inspector names the state of a step in progress like the waterfall', async () => {
    const inference = scriptedInference([{ text: 'One and two and three', chunks: 5, delayMs: 200 }]);
    const panel = await panelOf({ tools: [fakeTool('look', 1)], inference });
    const turn = session.sendMessage('Go');
    const head = await panel.findByRole('heading', { level: 2 });
    expect(head.textContent).toMatch(/running$/);
    await act(() => turn);
    await waitFor(() => expect(head.textContent).toMatch(/answer$/));
  });
});
