import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInferenceProxy, type InferenceProxy, modelsFromEnv } from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type KillableChromium, killableChromium } from '../kills/killable-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import { type Behaviour, startUpstream, type Upstream } from '../upstream/upstream.ts';

let upstream: Upstream;
let proxy: InferenceProxy;
let served: ServedPage;
let profile: string;
let browser: KillableChromium;
let page: Page;
/** The amounts that were paid, and the payment that is left without an answer. */
let paid: number[] = [];
let unanswered: number | null = null;
let before = 0;
const complaints: string[] = [];

/** Answers by what the request holds: two payments, and then the amounts that came of them. */
function answerTo(body: string): Behaviour {
  const { messages } = JSON.parse(body) as {
    readonly messages: readonly { role: string; content: unknown }[];
  };
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const call = (amount: number): object => ({
    tool_calls: [
      {
        index: 0,
        id: `c${amount}`,
        type: 'function',
        function: { name: 'pay', arguments: JSON.stringify({ amount }) },
      },
    ],
  });
  const prompt = String(messages.find(({ role }) => role === 'system')?.content ?? '');
  const end = { content: `The end: ${results.join(', ')}${prompt.includes('kindly') ? ', kindly' : ''}` };
  const delta = results.length === 0 ? call(5) : results.length === 1 ? call(7) : end;
  const choices = [
    { index: 0, delta },
    { index: 0, delta: {}, finish_reason: results.length < 2 ? 'tool_calls' : 'stop' },
  ];
  const events = choices.map((choice) => ({ id: 'x', model: 'm', choices: [choice] }));
  const usage = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };
  const lines = [...events, { id: 'x', model: 'm', choices: [], usage }].map(
    (event) => `data: ${JSON.stringify(event)}\n\n`,
  );
  return { kind: 'answer', body: `${lines.join('')}data: [DONE]\n\n`, size: null };
}

function payFor(amount: number, response: ServerResponse): void {
  paid.push(amount);
  if (amount !== unanswered) response.end(`paid ${amount}`);
}

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.behave = answerTo;
  const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, VITRINE_MODELS: 'openai-compatible:m' };
  proxy = createInferenceProxy({ models: modelsFromEnv(env), log: () => undefined });
  const api = requestListener(proxy);
  served = await servePage(
    'journeys/debugger-page',
    (request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (url.pathname === '/pay') payFor(Number(url.searchParams.get('amount')), response);
      else api(request, response);
    },
    { 'process.env.NODE_ENV': '"development"' },
  );
});
afterAll(async () => {
  await served?.close();
  await proxy?.close();
  await upstream?.close();
});
beforeEach(async () => {
  paid = [];
  unanswered = null;
  profile = await mkdtemp(join(tmpdir(), 'vitrine-debugged-'));
  browser = await killableChromium(profile);
  page = await open();
  before = requests();
});
afterEach(async () => {
  await browser.kill();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  expect(complaints.splice(0)).toEqual([]);
});

/** A tab with the session. */
async function open(): Promise<Page> {
  const opened = await browser.open(served.url);
  await opened.setViewportSize({ width: 1440, height: 900 });
  opened.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  opened.on('pageerror', (error) => complaints.push(String(error)));
  await opened.getByLabel('Message', { exact: true }).waitFor();
  return opened;
}

/** Kills all processes of the browser, and opens the session again. */
async function killBrowser(): Promise<void> {
  await browser.kill();
  browser = await killableChromium(profile);
  page = await open();
}

const requests = (): number => upstream.bodies().filter((body) => body !== '').length;
const panelOf = (tab: Page): Locator => tab.getByRole('region', { name: 'Vitrine devtools' });
const inspector = (number: number): Locator =>
  panelOf(page).getByRole('region', { name: `Step ${number}`, exact: true });

async function say(text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

async function openStep(number: number, view: string): Promise<void> {
  await panelOf(page)
    .getByRole('tree', { name: 'Steps' })
    .getByRole('treeitem', { level: 1 })
    .nth(number - 1)
    .click();
  await panelOf(page)
    .getByRole('tablist', { name: /Views of step/ })
    .getByRole('tab', { name: view })
    .click();
}

/** Runs once, sets a breakpoint before `pay` in two clicks on its row, and asks again. */
async function pausedBeforePay(): Promise<void> {
  await say('Pay');
  await page.getByText('The end: paid 5, paid 7', { exact: true }).waitFor();
  await openStep(1, 'Tools');
  await inspector(1).getByRole('button', { name: 'Break: set a breakpoint' }).last().click();
  await inspector(1).getByRole('button', { name: 'before pay' }).click();
  await panelOf(page).getByRole('button', { name: 'Remove the breakpoint before pay' }).waitFor();
  paid = [];
  before = requests();
  await say('Pay again');
  await waits(page, 1);
}

/** Waits until a tab says in the panel and in the chat that the run waits. */
async function waits(tab: Page, step: number): Promise<void> {
  await panelOf(tab).getByText(`Paused in step ${step}, before the call of pay`).waitFor();
  await tab.getByText('The run is paused.').waitFor();
}

/** Releases the run with another amount. */
async function releaseWith(tab: Page, amount: unknown): Promise<void> {
  await panelOf(tab).getByRole('button', { name: 'Edit and release' }).click();
  await panelOf(tab).getByRole('textbox', { name: 'New value' }).fill(JSON.stringify({ amount }));
  await panelOf(tab).locator('.edit-form').getByRole('button', { name: 'Edit and release' }).click();
}

describe('a person who debugs a run in the page', () => {
  it('a run waits at a breakpoint, says so in the chat, and pays the edited amount once', async () => {
    await pausedBeforePay();
    expect(paid).toEqual([]);
    await releaseWith(page, 6);
    await waits(page, 2);
    await panelOf(page).getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText('The end: paid 6, paid 7', { exact: true }).waitFor();
    expect(paid).toEqual([6, 7]);
    expect(requests() - before).toBe(3);
  });

  it('an edit that the tool does not take says why, keeps its text, and leaves the run waiting', async () => {
    await pausedBeforePay();
    const value = panelOf(page).getByRole('textbox', { name: 'New value' });
    await releaseWith(page, 'much');
    await panelOf(page).getByRole('alert').getByText('pay does not take this: amount').waitFor();
    expect(await value.inputValue()).toBe('{"amount":"much"}');
    await waits(page, 1);
    expect(paid).toEqual([]);
    await value.fill('{"amount":6}');
    await panelOf(page).locator('.edit-form').getByRole('button', { name: 'Edit and release' }).click();
    await waits(page, 2);
    expect(paid).toEqual([6]);
  });

  it('a wait survives a reload, and its run ends as the edited one would', async () => {
    await pausedBeforePay();
    await page.reload();
    await waits(page, 1);
    await releaseWith(page, 6);
    await waits(page, 2);
    await page.reload();
    await waits(page, 2);
    await releaseWith(page, 8);
    await page.getByText('The end: paid 6, paid 8', { exact: true }).waitFor();
    expect(paid).toEqual([6, 8]);
    expect(requests() - before).toBe(3);
  });

  it('a wait survives a browser that is killed, before and after an edit', async () => {
    await pausedBeforePay();
    await killBrowser();
    await waits(page, 1);
    await releaseWith(page, 6);
    await waits(page, 2);
    await killBrowser();
    await waits(page, 2);
    await panelOf(page).getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText('The end: paid 6, paid 7', { exact: true }).waitFor();
    expect(paid).toEqual([6, 7]);
  });

  it('a payment that ran when the browser was killed is never made again', async () => {
    await pausedBeforePay();
    unanswered = 6;
    await releaseWith(page, 6);
    await expect.poll(() => paid).toEqual([6]);
    await killBrowser();
    await page.getByRole('button', { name: 'Resume' }).click();
    await waits(page, 2);
    await panelOf(page).getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText(/^The end: .*interrupted.*, paid 7$/).waitFor();
    expect(paid).toEqual([6, 7]);
  });

  it('another tab shows the wait, and releases it with an edit', async () => {
    await pausedBeforePay();
    const other = await open();
    await waits(other, 1);
    await releaseWith(other, 6);
    await Promise.all([waits(page, 2), waits(other, 2)]);
    await panelOf(other).getByRole('button', { name: 'Release', exact: true }).click();
    for (const tab of [page, other])
      await tab.getByText('The end: paid 6, paid 7', { exact: true }).waitFor();
    expect(paid).toEqual([6, 7]);
  });

  it('another tab goes on with a wait whose tab has crashed', async () => {
    await pausedBeforePay();
    const other = await open();
    await waits(other, 1);
    const crashed = page.waitForEvent('crash');
    const protocol = await page.context().newCDPSession(page);
    void protocol.send('Page.crash').catch(() => undefined);
    await crashed;
    await releaseWith(other, 6);
    await waits(other, 2);
    await panelOf(other).getByRole('button', { name: 'Release', exact: true }).click();
    await other.getByText('The end: paid 6, paid 7', { exact: true }).waitFor();
    expect(paid).toEqual([6, 7]);
    expect(requests() - before).toBe(3);
  });
});

describe('a person who forks a run from a step', () => {
  it('five futures stand side by side, without a request for what lies before, under one cap', async () => {
    await say('Pay');
    await page.getByText('The end: paid 5, paid 7', { exact: true }).waitFor();
    await openStep(2, 'Fork');
    paid = [];
    before = requests();
    const edit = inspector(2);
    const [choose, value] = [
      edit.getByRole('combobox', { name: 'Edit' }),
      edit.getByRole('textbox', { name: 'New value' }),
    ];
    for (const amount of [10, 11, 12]) {
      await choose.selectOption({ label: 'arguments of pay' });
      await value.fill(JSON.stringify({ amount }));
      await edit.getByRole('button', { name: 'Add a fork' }).click();
    }
    await choose.selectOption({ label: 'result of pay' });
    await value.fill('"paid nothing"');
    await edit.getByRole('button', { name: 'Add a fork' }).click();
    await choose.selectOption({ label: 'system prompt' });
    await value.fill('Pay kindly.');
    await edit.getByRole('button', { name: 'Add a fork' }).click();
    await edit.getByRole('button', { name: 'Run 5 forks' }).click();
    const table = edit.getByRole('table', { name: 'Forks side by side' });
    await table.getByText('The end: paid 5, paid 7, kindly', { exact: true }).waitFor();
    await table.getByText('The end: paid 5, paid nothing', { exact: true }).waitFor();
    expect(paid, 'no tool ran unasked').toEqual([]);
    for (const amount of [10, 11, 12])
      await edit
        .getByRole('group', { name: `The record has no pay({"amount":${amount}}), so it waits` })
        .getByRole('button', { name: 'Run it' })
        .click();
    for (const text of ['paid 10', 'paid 11', 'paid 12', 'paid nothing'])
      await table.getByText(`The end: paid 5, ${text}`, { exact: true }).waitFor();
    expect(await table.getByRole('columnheader').count()).toBe(7);
    expect([...paid].sort((a, b) => a - b)).toEqual([10, 11, 12]);
    const made = upstream
      .bodies()
      .filter((body) => body !== '')
      .slice(before);
    const results = made.map((body) => body.match(/"role":"tool"/g)?.length ?? 0);
    expect(results, 'none for step 1, one for the new step 2, and five for step 3').toEqual(
      expect.arrayContaining([1, 2, 2, 2, 2, 2]),
    );
    expect(made).toHaveLength(6);
    const chat = page.getByRole('region', { name: 'Conversation' });
    expect(await chat.getByText(/^The end: /).count(), 'the chat is as it was').toBe(1);
  });

  it('forks never spend more than their common cap', async () => {
    await say('Pay');
    await page.getByText('The end: paid 5, paid 7', { exact: true }).waitFor();
    await openStep(1, 'Fork');
    before = requests();
    const edit = inspector(1);
    await edit.getByRole('combobox', { name: 'Edit' }).selectOption({ label: 'system prompt' });
    for (const text of ['One.', 'Two.', 'Three.', 'Four.', 'Five.']) {
      await edit.getByRole('textbox', { name: 'New value' }).fill(text);
      await edit.getByRole('button', { name: 'Add a fork' }).click();
    }
    await edit.getByRole('spinbutton', { name: 'Tokens for all forks' }).fill('5000');
    await edit.getByRole('button', { name: 'Run 5 forks' }).click();
    const spent = edit.getByText(/^All forks together: /);
    const table = edit.getByRole('table', { name: 'Forks side by side' });
    await expect
      .poll(async () => (await table.getByRole('row', { name: /^Status/ }).innerText()).includes('running'))
      .toBe(false);
    const tokens = Number(/([\d,]+) tokens/.exec(await spent.innerText())?.[1]?.replaceAll(',', ''));
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(5000);
    expect(requests() - before).toBeLessThan(15);
  });
});
