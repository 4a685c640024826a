import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';

let served: ServedPage;
let browser: Browser;

beforeAll(async () => {
  const options = launchOptions();
  [served, browser] = await Promise.all([
    servePage('journeys/panel-page', undefined, { 'process.env.NODE_ENV': '"development"' }),
    chromium.launch({ ...options, args: [...(options.args ?? []), '--enable-features=WebMCP'] }),
  ]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

type Tools = {
  readonly getTools: () => Promise<readonly { readonly name: string }[]>;
  readonly executeTool: (tool: { readonly name: string }, input: object) => Promise<unknown>;
};

it('an agent of the browser asks the page why a run stopped, until the panel is removed', async () => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(served.url);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  await page.evaluate(async () => {
    Object.assign(globalThis, { removePanel: panelPage.mount({ webMcp: true }) });
    const session = panelPage.session('asked', [
      { text: 'It is 3, apiKey sk-proj-abcdefghijklmnopqrstuvwx1234' },
    ]);
    await session.sendMessage('What is 1 + 2?');
  });
  const names = (): Promise<string[]> =>
    page.evaluate(async () => {
      const { modelContext } = document as unknown as { readonly modelContext: Tools };
      return (await modelContext.getTools()).map(({ name }) => name);
    });
  await expect.poll(names).toContain('vitrine.whyStopped');
  const answer = await page.evaluate(async () => {
    const { modelContext } = document as unknown as { readonly modelContext: Tools };
    const tool = (await modelContext.getTools()).find(({ name }) => name === 'vitrine.whyStopped');
    return JSON.stringify(await modelContext.executeTool(tool!, {}));
  });
  expect(answer).toContain('completed');
  expect(answer).toContain('It is 3');
  expect(answer).not.toContain('sk-proj-');
  await page.evaluate(() => (globalThis as unknown as { removePanel: () => void }).removePanel());
  await expect.poll(names).toEqual([]);
  expect(complaints).toEqual([]);
});
