import { registerAppResource, registerAppTool } from '@modelcontextprotocol/ext-apps/server';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { build } from 'esbuild';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type FrameLocator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { serveMcp, type ServedMcp } from '../serve-mcp.ts';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import { axeFaults } from './axe-faults.ts';

let mcp: ServedMcp;
let served: ServedPage;
let browser: Browser;
/** The calls that the server has cancelled. */
let cancelled = 0;
/** The seats that views have taken. */
const taken: number[] = [];

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
    { inputSchema, annotations: { destructiveHint: false }, _meta: { ui: { visibility: ['model'] } } },
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
  addViews(server);
  return server;
}

const pageFolder = fileURLToPath(new URL('mcp-page', import.meta.url));
const views = { seats: '', hostile: '' };

/** The server of somebody who wants what a page has, and what it got. */
const got: string[] = [];
const thief = createServer(({ url = '' }, response) => {
  got.push(url);
  response.setHeader('access-control-allow-origin', '*').end();
});

/** A view as a server builds one: a page with all its code. */
async function seatsView(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${pageFolder}/seats-view.ts`],
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  });
  const code = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
  return `<!doctype html><html lang="en"><title>Seats</title><body><script type="module">${code}</script></body></html>`;
}

/** Tools with views, and tools for views: one that only reads, and one that a person has to allow. */
function addViews(server: McpServer): void {
  for (const [name, html] of Object.entries(views)) {
    const uri = `ui://tables/${name}`;
    const about = { description: '', inputSchema: z.object({}), annotations: { readOnlyHint: true } };
    registerAppTool(server, name, { ...about, _meta: { ui: { resourceUri: uri } } }, () => ({
      content: [{ type: 'text', text: '12 seats' }],
      structuredContent: { seats: 12 },
      _meta: { window: true },
    }));
    registerAppResource(server, name, uri, {}, () => ({
      contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: html }],
    }));
  }
  const broken = { description: '', annotations: { readOnlyHint: true }, inputSchema };
  server.registerTool('broken', { ...broken, _meta: { ui: { resourceUri: 'ui://tables/none' } } }, () => ({
    content: [{ type: 'text', text: 'No view' }],
  }));
  const ui = { visibility: ['app' as const] };
  server.registerTool('free', { ...broken, _meta: { ui } }, () => ({
    content: [{ type: 'text', text: '3 and 4' }],
  }));
  server.registerTool('take', { inputSchema: z.object({ seat: z.number() }), _meta: { ui } }, ({ seat }) => {
    taken.push(seat);
    return { content: [{ type: 'text', text: `Seat ${seat} is taken` }] };
  });
}

beforeAll(async () => {
  thief.listen(0, '127.0.0.1');
  await once(thief, 'listening');
  const there = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
  views.seats = await seatsView();
  views.hostile = readFileSync(`${pageFolder}/hostile-view.html`, 'utf8').replaceAll(
    'https://stolen.example',
    there,
  );
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
  thief.close();
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
  await form.getByLabel('The name on the table').fill('Ann');
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

/** The frame of a view, which is in a frame of its own. */
function viewIn(page: Page, toolName: string): FrameLocator {
  return page.frameLocator(`iframe[title="View of ${toolName}"]`).frameLocator('iframe');
}

it('the view of a tool gets its input and its whole result, and calls tools, which a person allows or not', async () => {
  const { page, complaints } = await openChat();
  await say(page, 'seats');
  const view = viewIn(page, 'table_seats');
  await view.getByText('input: {}').waitFor();
  await view.getByText('result: {"structuredContent":{"seats":12},"_meta":{"window":true}}').waitFor();
  await view.getByText('theme: "light"').waitFor();
  await view.getByRole('button', { name: 'Free seats' }).click();
  await view.getByText(/^Free seats: .*3 and 4/).waitFor();
  await view.getByRole('button', { name: 'Take a seat' }).click();
  const question = page.getByRole('region', { name: 'May the view call take?' });
  await question.getByText('seat').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  if (process.env['PICTURES'])
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${process.env['PICTURES']}/view-${colorScheme}.png` });
    }
  await question.getByRole('button', { name: 'Refuse' }).click();
  await view.getByText(/^Take a seat: .*The person did not allow the call/).waitFor();
  expect(taken).toEqual([]);
  await view.getByRole('button', { name: 'Take a seat' }).click();
  await question.getByRole('button', { name: 'Allow' }).click();
  await view.getByText(/^Take a seat: .*Seat 4 is taken/).waitFor();
  expect(taken).toEqual([4]);
  await view.getByRole('button', { name: 'Ask for the plan' }).click();
  const message = page.getByRole('region', { name: 'May the view send this message for you?' });
  await message.getByRole('button', { name: 'Allow' }).click();
  await page.locator('img[src^="data:image/png"], img[src^="blob:"]').first().waitFor();
  expect(complaints).toEqual([]);
});

it('a hostile view reaches neither the page nor the network, and a flood ends it while the chat goes on', async () => {
  const { page, complaints } = await openChat();
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  await say(page, 'hostile');
  const view = viewIn(page, 'table_hostile');
  await view.getByText('network: refused').waitFor();
  for (const name of ['the page', 'the frame', 'cookies', 'storage', 'the address', 'the frame’s address'])
    await view.getByText(`${name}: SecurityError`).waitFor();
  for (const name of ['a window', 'a dialog']) await view.getByText(`${name}: TypeError`).waitFor();
  await view.getByText(/^answer 2: .*The tool \\"book\\" is not for views/).waitFor();
  await view.getByText(/^answer 3: .*The server has no tool \\"nobody\\"/).waitFor();
  await view.getByText(/^answer 4: .*"isError":true/).waitFor();
  await view.getByText(/^answer 5: .*Method not found/).waitFor();
  const frame = page.locator('iframe[title="View of table_hostile"]');
  await expect.poll(async () => (await frame.boundingBox())?.height).toBe(600);
  expect((await frame.boundingBox())?.width).toBeLessThanOrEqual(390);
  await view.getByRole('button', { name: 'Flood' }).click();
  await page.getByText('The view sent too much and was closed.').waitFor();
  expect(await frame.count()).toBe(0);
  await say(page, 'broken');
  await page.getByText(/^The view cannot be shown: /).waitFor();
  await say(page, 'plan');
  await page.locator('img[src^="data:image/png"], img[src^="blob:"]').first().waitFor();
  expect(taken).toEqual([4]);
  expect(got).toEqual([]);
  const ofBrowser = /Content Security Policy|sandboxed|Unsafe attempt|Blocked (?:opening|confirm)/;
  expect(complaints.filter((complaint) => !ofBrowser.test(complaint))).toEqual([]);
});

it('a view that leaves its page for another address arrives nowhere', async () => {
  const { page } = await openChat();
  await say(page, 'hostile');
  await viewIn(page, 'table_hostile').getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => viewIn(page, 'table_hostile').getByText('network: refused').count()).toBe(0);
  await say(page, 'plan');
  await page.locator('img[src^="data:image/png"], img[src^="blob:"]').first().waitFor();
  expect(got).toEqual([]);
});
