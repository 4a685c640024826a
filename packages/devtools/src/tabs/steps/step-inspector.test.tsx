import { fireEvent, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closePage, panelAfterTwoRuns } from '../../devtools-page.fixture.tsx';

afterEach(async () => {
  vi.unstubAllGlobals();
  await closePage();
});

type Opened = Awaited<ReturnType<typeof panelAfterTwoRuns>>['panel'];

/** Opens a step of the run and one of its views. */
function open(panel: Opened, number: number, view: string): ReturnType<typeof within> {
  const rows = within(panel.getByRole('tree', { name: 'Steps' }))
    .getAllByRole('treeitem')
    .filter((row) => row.getAttribute('aria-level') === '1');
  fireEvent.click(rows[number - 1]!);
  const tabs = within(panel.getByRole('tablist', { name: `Views of step ${number}` }));
  fireEvent.click(tabs.getByRole('tab', { name: view }));
  return within(panel.getByRole('region', { name: `Step ${number}` }));
}

describe('the inspector of a step', () => {
  it('the Sent view shows the full request, the messages left out with the reason, and new messages', async () => {
    const { panel } = await panelAfterTwoRuns();
    const first = open(panel, 1, 'Sent');
    expect(first.getByText('Be kind.')).toBeTruthy();
    fireEvent.click(first.getByText('2 messages of earlier runs not sent again, as usual'));
    expect(first.getAllByText(/trace of an earlier run/)).toHaveLength(2);
    expect(first.getByText('Messages (3)')).toBeTruthy();
    expect(first.getByText('Second question')).toBeTruthy();
    const second = open(panel, 2, 'Sent');
    expect(second.getByText('Against step 1: 2 messages new.')).toBeTruthy();
    expect(second.getAllByText('new')).toHaveLength(2);
  });

  it('a closed section renders nothing', async () => {
    const { panel } = await panelAfterTwoRuns();
    const step = open(panel, 1, 'Sent');
    expect(step.queryByText(/Says it again/)).toBeNull();
    fireEvent.click(step.getByText('Tools offered (1)'));
    expect(step.getByText(/Says it again/)).toBeTruthy();
    fireEvent.click(step.getByText('Tools offered (1)'));
    expect(step.queryByText(/Says it again/)).toBeNull();
  });

  it('the Received view shows the answer with usage, finish reason and events', async () => {
    const { panel } = await panelAfterTwoRuns();
    const step = open(panel, 1, 'Received');
    expect(step.getByText('Finish reason').nextElementSibling?.textContent).toBe('tool-calls');
    expect(step.getByText(/"text": "two"/)).toBeTruthy();
    fireEvent.click(step.getByText(/^Raw events \(\d+\)$/));
    expect(step.getByText('inference-start')).toBeTruthy();
    expect(step.getByText('tool-end')).toBeTruthy();
  });

  it('each event can be opened by mouse and keyboard, without its secrets', async () => {
    const { panel } = await panelAfterTwoRuns();
    const step = open(panel, 1, 'Received');
    fireEvent.click(step.getByText(/^Raw events \(\d+\)$/));
    fireEvent.click(step.getByText('inference-end'));
    const shown = step.getByText(/"type": "inference-end"/);
    expect(shown.textContent).toContain('"finishReason": "tool-calls"');
    const log = step.getByRole('listbox', { name: 'Events' });
    for (const { textContent } of step.getAllByRole('option')) {
      fireEvent.keyDown(log, { key: textContent.includes('step-start') ? 'Home' : 'ArrowDown' });
      fireEvent.keyDown(log, { key: 'Enter' });
      const text = step.getByText(/"type"/, { selector: '.whole pre' }).textContent;
      expect(textContent).toContain((JSON.parse(text) as { type: string }).type);
      expect(text).not.toContain('swordfish');
    }
    fireEvent.keyDown(log, { key: 'Enter' });
    expect(step.queryByText(/"type": "/)).toBeNull();
  });

  it('the Tools view shows the input and output of a tool without secrets', async () => {
    const { panel } = await panelAfterTwoRuns();
    const step = open(panel, 1, 'Tools');
    expect(step.getByText(/"text": "two"/).textContent).not.toContain('swordfish');
    expect(step.getByText('echo of two')).toBeTruthy();
    expect(step.getByText(/^Started .* ended .* settled/)).toBeTruthy();
    fireEvent.click(step.getByText(/^History of the call/));
    expect(step.getByText('call-settle')).toBeTruthy();
    expect(open(panel, 2, 'Tools').getByText('No tool was called in this step.')).toBeTruthy();
  });

  it('the State view shows the state after the step and its changes', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    const step = open(panel, 1, 'State');
    const seqOf = (view: ReturnType<typeof within>): number =>
      Number(view.getByRole('treeitem', { name: /^seq/ }).textContent?.replace(/\D/g, ''));
    const seqAtOne = seqOf(step);
    expect(step.getByRole('treeitem', { name: /context AgentContext/ }).dataset['changed']).toBe('true');
    expect(step.getByRole('treeitem', { name: /^agentId/ }).dataset['changed']).toBe('false');
    expect(step.getAllByText(/^message \d+ \(/).length).toBeGreaterThan(0);
    fireEvent.click(step.getByText(/^Kept by the loop itself/));
    expect(step.getAllByText(/^step 1/).length).toBeGreaterThan(0);
    const seqAtTwo = seqOf(open(panel, 2, 'State'));
    expect(seqAtTwo).toBe(session.store.getState().state.seq);
    expect(seqAtOne).toBeLessThan(seqAtTwo);
  });

  it('the Why view says why the run went on or stopped', async () => {
    const { panel } = await panelAfterTwoRuns();
    expect(
      open(panel, 1, 'Why').getByText(/^It went on after step 1: the model requested tools/),
    ).toBeTruthy();
    const last = open(panel, 2, 'Why');
    expect(last.getByText(/^It finished after 2 steps/)).toBeTruthy();
    expect(last.getByText(/Is nothing left to do/).textContent).toMatch(/Yes: stop/);
  });

  it('a view is copied as JSON or Markdown, with secrets only on request', async () => {
    const writeText = vi.fn<(text: string) => Promise<void>>().mockResolvedValue();
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    const { panel } = await panelAfterTwoRuns();
    const step = open(panel, 1, 'Tools');
    fireEvent.click(step.getByText('Copy JSON'));
    await step.findByText('Copied as JSON, without secrets.');
    expect(writeText.mock.lastCall?.[0]).toContain('"text": "two"');
    expect(writeText.mock.lastCall?.[0]).not.toContain('swordfish');
    fireEvent.click(step.getByText('Copy Markdown'));
    await step.findByText('Copied as Markdown, without secrets.');
    expect(writeText.mock.lastCall?.[0]).toMatch(/^# Step 1: tools[\s\S]*## echo[\s\S]*```json/);
    const sent = open(panel, 1, 'Sent');
    fireEvent.click(sent.getByText('Copy curl'));
    await sent.findByText('Copied as curl, without secrets.');
    const command = writeText.mock.lastCall?.[0] ?? '';
    expect(command).toContain(`"\${VITRINE_PROXY_URL:-${location.origin}/api}/v1/inference"`);
    const body = JSON.parse(command.slice(command.indexOf("'{") + 1, -1).replaceAll(`'\\''`, "'")) as {
      messages: object[];
      tools: { inputSchema: { properties: object } }[];
    };
    expect(body.messages[0]).toEqual({ role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] });
    expect(body.tools[0]?.inputSchema.properties).toMatchObject({ password: { type: 'string' } });
    expect(command).not.toContain('swordfish');
    open(panel, 1, 'Tools');
    fireEvent.click(step.getByLabelText('without secrets'));
    fireEvent.click(step.getByText('Copy JSON'));
    await step.findByText('Copied as JSON.');
    expect(writeText.mock.lastCall?.[0]).toContain('swordfish');
  });
});
