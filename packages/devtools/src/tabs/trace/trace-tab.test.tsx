import { fireEvent, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closePage, panelAfterTwoRuns } from '../../devtools-page.fixture.tsx';

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await closePage();
});

type Opened = Awaited<ReturnType<typeof panelAfterTwoRuns>>['panel'];

async function openTrace(panel: Opened): Promise<void> {
  fireEvent.click(panel.getByRole('tab', { name: 'Trace' }));
  await panel.findByRole('button', { name: 'Preview trace' });
}

/** Collects the files that are saved from now on. */
function savedFiles(): { name: string; blob: Blob }[] {
  const files: { name: string; blob: Blob }[] = [];
  let last = new Blob();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => ((last = blob as Blob), 'blob:x'));
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    files.push({ name: this.download, blob: last });
  });
  return files;
}

describe('the Trace tab', () => {
  it('a replay of the selected run ends in the same state', async () => {
    const { panel } = await panelAfterTwoRuns();
    await openTrace(panel);
    expect(panel.getByText('Replay run 2')).toBeTruthy();
    const select = panel.getByLabelText('Run') as HTMLSelectElement;
    fireEvent.change(select, { target: { value: select.options[0]!.value } });
    fireEvent.click(panel.getByRole('button', { name: 'Replay' }));
    expect(
      await panel.findByText(/^The replay ended in the same state\. 2 model calls and 1 tool call/),
    ).toBeTruthy();
  });

  it('a replay that differs names the step and the path', async () => {
    const { panel, session } = await panelAfterTwoRuns();
    session.configure({ agent: { ...session.settings().agent, systemPrompt: 'Be rude.' } });
    await openTrace(panel);
    fireEvent.click(panel.getByRole('button', { name: 'Replay' }));
    expect(await panel.findByText(/^Step 1: the prompt differs .* at systemPrompt/)).toBeTruthy();
  });

  it('the redacted values of a trace are shown before it is saved, and the saved trace can be opened', async () => {
    const { panel } = await panelAfterTwoRuns();
    const files = savedFiles();
    await openTrace(panel);
    fireEvent.click(panel.getByRole('button', { name: 'Preview trace' }));
    const list = within(panel.getByRole('list', { name: 'Redacted values' }));
    expect(list.getAllByText(/has the name of a secret/).length).toBeGreaterThan(0);
    expect(files).toEqual([]);
    fireEvent.click(panel.getByRole('button', { name: 'Save trace' }));
    expect(files.map(({ name }) => name)).toEqual(['helper.trace.json']);
    const text = await files[0]!.blob.text();
    expect(text).not.toContain('swordfish');
    const input = panel.getByLabelText('Trace file to open');
    fireEvent.change(input, { target: { files: [new File([text], 'helper.trace.json')] } });
    expect((await panel.findAllByText(/helper \(view only, trace of .*\)/)).length).toBeGreaterThan(0);
    const runs = panel.getByRole('combobox', { name: 'Run' }) as HTMLSelectElement;
    expect(runs.options).toHaveLength(2);
    expect(panel.getAllByText('Second question').length).toBeGreaterThan(0);
    // The agent of the page has the name of the trace.
    fireEvent.click(panel.getByRole('tab', { name: 'Trace' }));
    fireEvent.click(panel.getByRole('button', { name: 'Replay' }));
    expect(await panel.findByText(/^The replay ended in the same state/)).toBeTruthy();
  });

  it('a file that is no trace is rejected with a sentence', async () => {
    const { panel } = await panelAfterTwoRuns();
    const input = panel.getByLabelText('Trace file to open');
    fireEvent.change(input, { target: { files: [new File(['<b>no</b>'], 'x.json')] } });
    expect((await panel.findByRole('alert')).textContent).toBe('The trace cannot be opened. It is no JSON.');
  });

  it('a test of the run contains none of its secrets', async () => {
    const { panel } = await panelAfterTwoRuns();
    const files = savedFiles();
    await openTrace(panel);
    fireEvent.click(panel.getByRole('button', { name: 'Make a test' }));
    fireEvent.click(panel.getByRole('button', { name: 'Save test' }));
    const text = await files[0]!.blob.text();
    expect(files[0]!.name).toBe('run-2.test.ts');
    expect(text).toContain("from '@vitrine/inspect'");
    expect(text).not.toContain('swordfish');
    await waitFor(() => expect(panel.getByText(/^\/\/ A recorded run of the agent "helper"/)).toBeTruthy());
  });

  it('the test can be copied, a failure is reported, and the test lists what was not recorded', async () => {
    const { panel } = await panelAfterTwoRuns();
    await openTrace(panel);
    fireEvent.click(panel.getByRole('button', { name: 'Make a test' }));
    const writeText = vi.fn<(text: string) => Promise<void>>().mockRejectedValueOnce(new Error('Not now'));
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    fireEvent.click(panel.getByRole('button', { name: 'Copy test' }));
    await panel.findByText('The browser refused to copy the text.');
    writeText.mockResolvedValue();
    fireEvent.click(panel.getByRole('button', { name: 'Copy test' }));
    await panel.findByText('Copied.');
    const [, list = ''] = (writeText.mock.lastCall?.[0] ?? '').split('What was not recorded');
    const lines = list.split('\n').filter((line) => line.startsWith('// - '));
    expect(lines).toEqual([
      expect.stringMatching(/what the model gave before after-inference hooks/),
      expect.stringMatching(/what the tools "echo" did outside of the state/),
      expect.stringMatching(/clocks, networks/),
      expect.stringMatching(/^\/\/ - \d+ values that look like secrets/),
      ...lines.slice(4),
    ]);
    expect(lines.slice(4).join()).toContain('password');
  });
});
