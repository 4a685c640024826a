import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import type {} from './app/client.ts';

let served: ServedPage;
let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  [served, browser] = await Promise.all([servePage('stores/app'), chromium.launch(launchOptions())]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

/** A real tab with the session open in it. */
async function openTab(name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(served.url);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  await page.evaluate(async (tab) => {
    globalThis.session = globalThis.laws.openSession(tab);
    await globalThis.session.ready;
  }, name);
  return page;
}

/** The messages that the tab shows. */
const said = (page: Page): Promise<string[]> =>
  page.evaluate(() => globalThis.laws.texts(globalThis.session!.store.getState().state));
const statusOf = (page: Page): Promise<string> =>
  page.evaluate(() => globalThis.session!.store.getState().status);

async function shows(page: Page, text: string): Promise<void> {
  await expect.poll(async () => (await said(page)).join(' | '), { timeout: 10_000 }).toContain(text);
}

it('two real tabs show one answer live, and a command of the second one is done by the first', async () => {
  const [first, second] = [await openTab('A'), await openTab('B')];
  const turn = second.evaluate(async () => (await globalThis.session!.sendMessage('Go')).outcome);
  await Promise.all([shows(first, 'A3'), shows(second, 'A3')]);
  expect(await statusOf(second)).toBe('streaming');
  await second.evaluate(() => globalThis.session!.stop());
  expect(await turn).toBe('stopped');
  await expect.poll(() => statusOf(second)).toBe('ready');
  expect(await said(second)).toEqual(await said(first));
});

it('a real tab goes on when the one that runs is killed in the middle of an answer, with its command', async () => {
  const [first, second] = [await openTab('A'), await openTab('B')];
  const turn = second.evaluate(async () => (await globalThis.session!.sendMessage('Go')).outcome);
  await shows(second, 'A3');
  await first.close();
  await shows(second, 'B2');
  await second.evaluate(() => {
    globalThis.isEnough = true;
  });
  expect(await turn).toBe('completed');
  const third = await openTab('C');
  expect(await said(third)).toEqual(await said(second));
  expect((await said(third))[0]).toBe('Go');
});
