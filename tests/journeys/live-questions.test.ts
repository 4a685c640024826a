import { createServer, type AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { root } from '../../scripts/root.ts';
import { type ServedPage, servePage } from '../serve-page.ts';

// The page comes over the network: a browser asks before one of a fulfilled route may connect to this machine.
let served: ServedPage;
let browser: Browser;
beforeAll(async () => {
  [served, browser] = await Promise.all([servePage('journeys/panel-page'), chromium.launch(launchOptions())]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

const closing: Client[] = [];
afterEach(async () => {
  for (const client of closing.splice(0)) await client.close();
});

/** A coding agent that has started `vitrine mcp --page` on a port. */
async function codingAgent(port: number): Promise<(name: string) => Promise<string>> {
  const client = new Client({ name: 'coding-agent', version: '1.0.0' });
  closing.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        '--conditions=@vitrine/source',
        `${root}/packages/cli/src/vitrine.ts`,
        'mcp',
        '--page',
        '--port',
        `${port}`,
      ],
      env: { VITRINE_TOKEN: 'a-token-of-the-journey' },
      stderr: 'ignore',
    }),
  );
  return async (name) => JSON.stringify(await client.callTool({ name, arguments: {} }));
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

it('a coding agent asks a running page why its agent stopped, also after the coding agent was started again', async () => {
  const port = await freePort();
  const ask = await codingAgent(port);
  const told = await ask('whyStopped');
  const [, address = ''] = /localChannel\('([^']+)'\)/.exec(told) ?? [];
  const page = await browser.newPage();
  await page.goto(served.url);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  await page.evaluate(async (given) => {
    panelPage.shareSessions(panelPage.localChannel(given));
    const session = panelPage.session('live', [
      { toolCalls: [{ name: 'look', input: {} }] },
      { text: 'It is 3, apiKey sk-proj-abcdefghijklmnopqrstuvwx1234' },
    ]);
    await session.sendMessage('What is 1 + 2?');
  }, address);
  await expect.poll(() => ask('whyStopped')).toContain('It is 3');
  expect(await ask('runs')).toContain('What is 1 + 2?');
  expect(await ask('whyStopped')).not.toContain('sk-proj-');
  for (const client of closing.splice(0)) await client.close();
  const again = await codingAgent(port);
  await expect.poll(() => again('whyStopped'), { timeout: 40_000 }).toContain('It is 3');
}, 90_000);
