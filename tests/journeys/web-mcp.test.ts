import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { faultyAgents } from '../../apps/demo/src/faults/faulty-agents.ts';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { secret } from '../faults/secret-run.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import type { McpPage } from './mcp-page/client.ts';

declare global {
  var mcpPage: McpPage;
}

let served: ServedPage;
let servedTools: ServedPage;
let browser: Browser;

beforeAll(async () => {
  const options = launchOptions();
  const development = { 'process.env.NODE_ENV': '"development"' };
  [served, servedTools, browser] = await Promise.all([
    servePage('journeys/panel-page', undefined, development),
    servePage('journeys/mcp-page', undefined, development),
    chromium.launch({ ...options, args: [...(options.args ?? []), '--enable-features=WebMCP'] }),
  ]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
  await servedTools.close();
});

type Tools = {
  readonly getTools: () => Promise<readonly { readonly name: string }[]>;
  readonly executeTool: (tool: { readonly name: string }, input: object) => Promise<unknown>;
  readonly registerTool: (tool: object, options?: { readonly signal: AbortSignal }) => Promise<unknown>;
};

/** A page with its complaints on the console. */
async function open({ url }: ServedPage): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  return { page, complaints };
}

const namesOn = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { modelContext } = document as unknown as { readonly modelContext: Tools };
    return (await modelContext.getTools()).map(({ name }) => name);
  });

const execute = (page: Page, wanted: string, input: object): Promise<unknown> =>
  page.evaluate(
    async ({ name, given }) => {
      const { modelContext } = document as unknown as { readonly modelContext: Tools };
      const tool = (await modelContext.getTools()).find((each) => each.name === name);
      return modelContext.executeTool(tool!, given);
    },
    { name: wanted, given: input },
  );

it('an agent of the browser asks the page why a run stopped, until the panel is removed', async () => {
  const { page, complaints } = await open(served);
  await page.evaluate(async () => {
    Object.assign(globalThis, { removePanel: panelPage.mount({ webMcp: true }) });
    const session = panelPage.session('asked', [
      { text: 'It is 3, apiKey sk-proj-abcdefghijklmnopqrstuvwx1234' },
    ]);
    await session.sendMessage('What is 1 + 2?');
  });
  await expect.poll(() => namesOn(page)).toContain('vitrine.whyStopped');
  const answer = JSON.stringify(await execute(page, 'vitrine.whyStopped', {}));
  expect(answer).toContain('completed');
  expect(answer).toContain('It is 3');
  expect(answer).not.toContain('sk-proj-');
  await page.evaluate(() => (globalThis as unknown as { removePanel: () => void }).removePanel());
  await expect.poll(() => namesOn(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('an agent of the browser finds each of twenty faults in one call of 2 kB, without a secret', async () => {
  const { page, complaints } = await open(served);
  await page.evaluate(() => void panelPage.mount({ webMcp: true }));
  await expect.poll(() => namesOn(page)).toContain('vitrine.findings');
  for (const { id, code } of faultyAgents) {
    const session = await page.evaluateHandle((fault) => panelPage.fault(fault), id);
    const found = await execute(page, 'vitrine.findings', {});
    const answer = typeof found === 'string' ? found : JSON.stringify(found);
    await session.evaluate((opened) => opened.dispose().then(() => undefined));
    expect(/\\*"code\\*":\\*"([a-z-]+)/.exec(answer)?.[1], id).toBe(code);
    expect(answer, id).not.toContain(secret.slice(0, 20));
    expect(new TextEncoder().encode(answer).length, id).toBeLessThanOrEqual(2_048);
  }
  expect(complaints).toEqual([]);
});

it('an agent of the browser calls the tools of an agent by its rules, until its component is unmounted', async () => {
  const { page, complaints } = await open(servedTools);
  await page.evaluate(() => void Object.assign(globalThis, { takeAway: mcpPage.offer() }));
  await expect.poll(() => namesOn(page)).toEqual(['add', 'erase', 'note']);
  expect(await execute(page, 'add', { a: 1, b: 2 })).toBe('3');
  const refused = await Promise.all([
    execute(page, 'add', { a: 'x' }),
    execute(page, 'erase', {}),
    execute(page, 'note', {}),
  ]);
  expect(refused).toEqual([
    expect.stringContaining('Invalid input of tool'),
    expect.stringContaining('A person has to approve it'),
    expect.stringContaining('changes the state of a session'),
  ]);
  await page.evaluate(() => (globalThis as unknown as { takeAway: () => void }).takeAway());
  await expect.poll(() => namesOn(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

it('an agent uses the tools that the page has registered, and not those of the library', async () => {
  const { page, complaints } = await open(servedTools);
  await page.evaluate(async () => {
    const { modelContext } = document as unknown as { readonly modelContext: Tools };
    await modelContext.registerTool({
      name: 'cart.read',
      description: 'Reads the cart',
      inputSchema: { type: 'object', properties: { page: { type: 'number' } } },
      annotations: { readOnlyHint: true },
      execute: (input: unknown) => ({ items: ['tea'], input }),
    });
    await modelContext.registerTool({
      name: 'broken',
      description: 'Fails',
      annotations: { readOnlyHint: true },
      execute: () => Promise.reject(new Error('no cart')),
    });
    await modelContext.registerTool({ name: 'buy', description: 'Buys', execute: () => 'bought' });
    mcpPage.offer();
  });
  await expect.poll(() => namesOn(page)).toContain('add');
  const ran = await page.evaluate(() =>
    mcpPage.runWithPageTools([
      {
        toolCalls: [
          { name: 'cart_read', input: { page: 1 } },
          { name: 'broken', input: {} },
          { name: 'add', input: { a: 1, b: 2 } },
        ],
      },
      { toolCalls: [{ name: 'buy', input: {} }] },
    ]),
  );
  expect(ran).toMatchObject({
    status: 'in-progress',
    calls: [
      { name: 'cart_read', status: 'completed', result: { items: ['tea'], input: { page: 1 } } },
      { name: 'broken', status: 'failed' },
      { name: 'add', status: 'failed', error: expect.stringContaining('"add"') },
      { name: 'buy', status: 'awaiting-approval' },
    ],
  });
  // The browser tells of the tool of the page that failed.
  expect(complaints).toEqual([expect.stringContaining('no cart')]);
});

it('a browser without WebMCP gives no tools and takes none', async () => {
  const plain = await chromium.launch(launchOptions());
  const page = await plain.newPage();
  await page.goto(servedTools.url);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  const ran = await page.evaluate(() => {
    mcpPage.offer();
    return mcpPage.runWithPageTools([{ toolCalls: [{ name: 'buy', input: {} }] }, { text: 'x' }]);
  });
  expect(ran.calls).toMatchObject([{ name: 'buy', status: 'failed' }]);
  await plain.close();
});
