import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveMcp, type ServedMcp } from '../serve-mcp.ts';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import { axeFaults } from './axe-faults.ts';

let mcp: ServedMcp;
let served: ServedPage;
let browser: Browser;
/** The calls that the server has cancelled. */
let cancelled = 0;

const inputSchema = fromJsonSchema({ type: 'object' });
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const requestedSchema = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, description: 'The name on the table' },
    guests: { type: 'integer' as const, default: 2 },
    terrace: { type: 'boolean' as const },
  },
  required: ['name', 'guests'],
};

function tables(): McpServer {
  const server = new McpServer({ name: 'tables', version: '1.0.0' });
  server.registerTool(
    'book',
    { inputSchema, annotations: { destructiveHint: false } },
    async (_input, ctx) => {
      const { content } = await ctx.mcpReq.elicitInput({
        message: 'For whom is the table?',
        requestedSchema,
      });
      return { content: [{ type: 'text', text: `Booked for ${JSON.stringify(content ?? null)}` }] };
    },
  );
  server.registerTool('plan', { inputSchema, annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'image', data: pixel, mimeType: 'image/png' }],
  }));
  server.registerTool('wait', { inputSchema, annotations: { readOnlyHint: true } }, async (_input, ctx) => {
    ctx.mcpReq.signal.addEventListener('abort', () => cancelled++);
    await ctx.mcpReq.notify({
      method: 'notifications/progress',
      params: {
        progressToken: ctx.mcpReq._meta?.progressToken ?? '',
        progress: 3,
        total: 8,
        message: 'row 3',
      },
    });
    return new Promise(() => undefined);
  });
  return server;
}

beforeAll(async () => {
  [mcp, served, browser] = await Promise.all([
    serveMcp(tables),
    servePage('journeys/mcp-page', undefined, { 'process.env.NODE_ENV': '"development"' }),
    chromium.launch(launchOptions()),
  ]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
  await mcp.close();
});

async function openChat(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(served.url);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  await page.evaluate((url) => mcpPage.showMcpChat(url), mcp.url.href);
  return { page, complaints };
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox').first().fill(text);
  await page.keyboard.press('Enter');
}

it('a person answers the form of an MCP server, gets its file, sees progress and stops a call', async () => {
  const { page, complaints } = await openChat();
  await say(page, 'book');
  const form = page.getByRole('region', { name: 'table_book asks you' });
  await form.getByText('For whom is the table?').waitFor();
  await form.getByLabel('name').fill('Ann');
  expect(await form.getByLabel('guests').inputValue()).toBe('2');
  expect(await axeFaults(page)).toEqual([]);
  if (process.env['PICTURES']) {
    await page.screenshot({ path: `${process.env['PICTURES']}/form-light.png` });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: `${process.env['PICTURES']}/form-dark.png` });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  await form.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('Done.').first().waitFor();
  await page.getByText('table_book').first().click();
  await page
    .getByText(/Booked for/)
    .first()
    .waitFor();
  await say(page, 'plan');
  await page.locator('img[src^="data:image/png"], img[src^="blob:"]').first().waitFor();
  await say(page, 'wait');
  await page.getByText('row 3').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => cancelled).toBe(1);
  if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/end.png` });
  expect(complaints).toEqual([]);
});
