import { render, within, fireEvent, waitFor } from '@testing-library/react';
import { type HubSource, sessionHub, type SourceKnowledge } from '@vitrine/inspect';
import { afterEach, expect, it } from 'vitest';
import { closePage } from '../devtools-page.fixture.tsx';
import { AgentDevtools } from '../index.ts';
import { recordedRun } from '../tabs/recorded-run.fixture.ts';

const leaves: (() => void)[] = [];
afterEach(async () => {
  await closePage();
  for (const leave of leaves.splice(0)) leave();
});

/** The panel of a finished run whose source can tell the given facts only. */
async function panelOf(knows: SourceKnowledge): Promise<ReturnType<typeof within>> {
  const { state, pages } = await recordedRun({}, [{ text: 'Green tea.' }]);
  // The request of the step is not told.
  const [step] = state.execution!.stepExecutions;
  const told = { ...step!, step: { ...step!.step, sent: { ...step!.step.sent!, prompt: '', tools: '' } } };
  const seen = { ...state, execution: { ...state.execution!, stepExecutions: [told] } };
  const journal = { id: 'j', base: pages[0]!.base, state: () => seen, subscribe: () => () => undefined };
  const source: HubSource = { id: 'theirs', name: 'their chat', journal, knows };
  render(<AgentDevtools initialIsOpen />);
  leaves.push(sessionHub().register(source));
  const root = await waitFor(() => {
    const found = document
      .querySelector('[data-vitrine-devtools]')
      ?.shadowRoot?.querySelector<HTMLElement>('.root');
    if (!found?.querySelector('.session')) throw new Error('The panel is not there yet.');
    return found;
  });
  return within(root);
}

it('the panel says of a watched run what is not known, and shows no zeros and no empty prompt', async () => {
  const panel = await panelOf({ prompt: false, usage: false, times: false, results: true });
  await panel.findByText(/^Watched from this page\. Not known: the request .*; tokens and cost; exact times/);
  await panel.findByText('tokens unknown');
  expect(panel.queryByText(/0 tok|\b0 in, 0 out/)).toBeNull();
  fireEvent.click(await panel.findByRole('tab', { name: 'Sent' }));
  await panel.findByText(/does not tell what the model was sent/);
  await panel.findByText('Conversation (1)');
  expect(panel.queryByText(/System prompt|Every message of the conversation|No tools/)).toBeNull();
  fireEvent.click(panel.getByRole('tab', { name: 'Received' }));
  expect(within((await panel.findByText('Tokens')).parentElement!).getByText('unknown')).toBeDefined();
  fireEvent.click(panel.getByRole('tab', { name: 'Why' }));
  expect(panel.queryByText(/^Are there/)).toBeNull();
});

it('the panel shows what a watched run does tell', async () => {
  const panel = await panelOf({ prompt: false, usage: true, times: true, results: true });
  await panel.findByText(/^Watched from this page\. Not known: the request .*\.$/);
  expect(panel.queryByText('tokens unknown')).toBeNull();
});
