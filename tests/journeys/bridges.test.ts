import { createAgentSession } from '@vitrine/core';
import { type AgUiFetch, toAgUi } from '@vitrine/ag-ui';
import { requestListener } from '@vitrine/proxy/node';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServedPage, servePage } from '../serve-page.ts';
import { clerk } from './bridge-page/clerk.ts';
import { closeBrowser, visit } from './visitor.ts';

/** The AG-UI backend of a test. */
let handle: AgUiFetch;
let served: ServedPage;
beforeAll(async () => {
  served = await servePage('journeys/bridge-page', requestListener({ fetch: (request) => handle(request) }));
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

it('useChat of the AI SDK runs over a session: approval, stop, a reload in mid answer, and another answer', async () => {
  const { page, say, complaints } = await visit(`${served.url}#use-chat`);
  const status = page.getByRole('status');
  const ready = (): Promise<void> =>
    expect.poll(() => status.textContent(), { timeout: 15_000 }).toBe('ready');
  await say('pay');
  await page.getByText('Pay 5?').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('tool-pay output-available paid 5').waitFor();
  await page.getByText('Answer 1 to pay').waitFor();

  await say('long');
  await page.getByText('word word').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ready();
  expect(await page.getByText('word end').count()).toBe(0);

  await say('long');
  const last = page.getByRole('listitem').last();
  await expect.poll(() => last.textContent()).toContain('word word word');
  await page.reload();
  await expect.poll(() => last.textContent(), { timeout: 20_000 }).toContain('word end');
  await ready();
  expect(await page.getByRole('listitem').count()).toBe(6);

  await say('hello');
  await page.getByText('Answer 1 to hello').waitFor();
  await ready();
  await page.getByRole('button', { name: 'Again' }).click();
  await page.getByText('Answer 2 to hello').waitFor();
  expect(await page.getByText('Answer 1 to hello').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('useChat of the AI SDK shows the steps of a session, parallel calls, one that failed, a subagent that asks, and an error', async () => {
  const { page, say, complaints } = await visit(`${served.url}#use-chat`);
  const status = page.getByRole('status');
  const answers = page.getByRole('listitem').filter({ hasText: /^assistant: / });
  await say('twice');
  await page.getByText('Answer 1 to twice').waitFor();
  const answer = (): Promise<string> => answers.last().innerText();
  expect(await answer()).toMatch(
    /tool-double output-available 2\s*tool-double output-available 4\s*Answer 1/,
  );
  await say('both');
  await page.getByText('Answer 2 to both').waitFor();
  expect(await answer()).toMatch(
    /tool-double output-available 20\s*tool-double output-available 40\s*Answer/,
  );
  await say('mixed');
  await page.getByText('Answer 3 to mixed').waitFor();
  expect(await answer()).toMatch(/tool-double output-available 60\s*tool-fail output-error\s*Answer/);

  await say('helper');
  await page.getByText('Pay 5?').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Answer 5 to helper').waitFor();
  expect(await answer()).toContain('tool-delegate output-available');
  await expect.poll(() => status.textContent()).toBe('ready');

  await say('broken');
  await page.getByRole('alert').filter({ hasText: 'The model is gone.' }).waitFor();
  expect(await status.textContent()).toBe('error');
  expect(await answer()).toContain('Half an answer');
  await say('hello');
  await page.getByText('Answer 6 to hello').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('the thread of assistant-ui runs over a session: approval, stop, an edit on a branch, and back', async () => {
  const { page, say, complaints } = await visit(`${served.url}#thread`);
  await say('pay');
  await page.getByText('Pay 5?').waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('pay paid 5').waitFor();
  await page.getByText('Answer 1 to pay').waitFor();

  await say('long');
  await page.getByText('word word').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(await page.getByText('word end').count()).toBe(0);

  const said = page.getByTestId('user');
  await said.last().getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edited message').fill('short');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Answer 2 to short').waitFor();
  await page.getByTestId('assistant').last().getByRole('button', { name: 'Again' }).click();
  await page.getByText('Answer 3 to short').waitFor();
  await expect.poll(() => said.last().textContent()).toContain('2 of 2');
  await said.last().getByRole('button', { name: 'Previous' }).click();
  await page.getByText('word word').waitFor();

  // A reload at once may lose the choice of a branch, which is written a moment later.
  await expect.poll(() => page.evaluate('session.isSettled()')).toBe(true);
  await page.reload();
  await page.getByText('word word').waitFor();
  await page.getByText('pay paid 5').waitFor();
  expect(complaints).toEqual([]);
});

it(
  'useAgent runs over an AG-UI backend, with its steps and calls in the panel: approval, stop, and two reloads',
  { timeout: 120_000 },
  async () => {
    const backend = createAgentSession({ agent: clerk });
    handle = toAgUi(backend);
    const { page, say, conversation, complaints } = await visit(`${served.url}#ag-ui`);
    // A retry goes on counting.
    const answerTo = (said: string): Locator => conversation.getByText(new RegExp(`Answer \\d+ to ${said}$`));
    const panel = page.getByRole('region', { name: 'Vitrine devtools' });
    const steps = panel.getByRole('tree', { name: 'Steps' });
    await say('hello');
    await answerTo('hello').waitFor();
    await say('twice');
    await answerTo('twice').waitFor();
    await panel.getByText(/^It finished after 3 steps/).waitFor();
    expect(await steps.getByRole('treeitem', { level: 1 }).count()).toBe(3);
    await steps.getByRole('treeitem', { level: 1 }).first().click();
    await panel.getByRole('tab', { name: 'Tools' }).click();
    expect(await panel.getByRole('region', { name: 'Step 1' }).innerText()).toMatch(/double[\s\S]*2/);
    await say('both');
    await answerTo('both').waitFor();
    await expect.poll(() => steps.getByRole('treeitem', { level: 2 }).count()).toBe(2);

    await say('pay');
    await page.getByText('Pay 5?', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await answerTo('pay').waitFor();
    await answerTo('hello').waitFor();

    await say('endless');
    await conversation.getByText('word word').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await panel.getByText(/^It was stopped after 1 step because a person asked for it/).waitFor();
    expect(await conversation.getByText('word end').count()).toBe(0);
    await expect.poll(() => backend.store.getState().status, { timeout: 20_000 }).toBe('ready');
    await say('hello again');
    await answerTo('hello again').waitFor();
    await page.getByText('ready, saved', { exact: true }).waitFor();
    await page.reload();
    await answerTo('hello again').waitFor();
    await conversation.getByText('word word').waitFor();
    expect(complaints).toEqual([]);
  },
);
