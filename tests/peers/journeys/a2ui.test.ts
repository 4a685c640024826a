import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launchOptions } from '../../../scripts/ensure-chromium.ts';
import { axeFaults } from '../../journeys/axe-faults.ts';
import { type ServedPage, servePage } from '../../serve-page.ts';

// Interfaces of A2UI that a model describes, drawn by the packages of the protocol.

let served: ServedPage;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  served = await servePage('peers/a2ui-page');
  browser = await chromium.launch(launchOptions());
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect(complaints.splice(0)).toEqual([]);
});

async function open(width = 1440, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(served.url);
  await page.getByLabel('Message', { exact: true }).waitFor();
  return page;
}

async function say(page: Page, text: string, characters = 1e6): Promise<void> {
  await page.evaluate((count) => write(count), characters);
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

async function shoot(page: Page, name: string): Promise<void> {
  const shots = process.env['SHOTS'];
  if (shots !== undefined) await page.screenshot({ path: `${shots}/a2ui-${name}.png` });
}

it.each([
  [390, 'light'],
  [1440, 'dark'],
  [1440, 'light'],
] as const)(
  'a surface grows while its arguments stream, takes one action once, and is there after a reload: %i, %s',
  async (width, scheme) => {
    const page = await open(width, scheme);
    await say(page, 'Show the table', 640);
    await page.getByText('A table for two').waitFor();
    expect(await page.getByRole('button', { name: 'Book it' }).count()).toBe(0);
    await shoot(page, `begun-${width}-${scheme}`);
    await page.evaluate(() => write(1e6));
    await page.getByText('There it is.', { exact: true }).waitFor();
    const name = page.getByRole('textbox', { name: 'Your name' });
    expect(await name.inputValue()).toBe('Ann');
    await page.getByText('Dumplings', { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await shoot(page, `whole-${width}-${scheme}`);
    await name.fill('Bea');
    await page.getByRole('button', { name: 'Book it' }).dblclick();
    await page.getByText('Booked.', { exact: true }).waitFor();
    const sent = page.locator('.vitrine-user').filter({ hasText: 'book' });
    expect(await sent.count()).toBe(1);
    expect(await page.evaluate('told')).toContain('Bea');
    await shoot(page, `acted-${width}-${scheme}`);
    await page.reload();
    await page.getByText('Booked.', { exact: true }).waitFor();
    await page.getByText('Dumplings', { exact: true }).waitFor();
    expect(await sent.count()).toBe(1);
  },
);

it('an action answers a call that waits for it, once, and a reload before it does no harm', async () => {
  const page = await open();
  await say(page, 'Show the table and wait');
  const book = page.getByRole('button', { name: 'Book it' });
  await book.click({ trial: true });
  await page.reload();
  await page.getByRole('textbox', { name: 'Your name' }).fill('Cem');
  await book.dblclick();
  await page.getByText('There it is.', { exact: true }).waitFor();
  const told = JSON.parse(await page.evaluate(() => globalThis.told)) as readonly {
    readonly output?: unknown;
  }[];
  expect(told.map(({ output }) => output)).toMatchObject([
    {
      name: 'book',
      surfaceId: 'table',
      context: { name: 'Cem', data: { outside: false } },
    },
  ]);
  expect(await page.locator('.vitrine-user').count()).toBe(1);
});

it('an interface that cannot be shown is a sentence, and the model is told', async () => {
  const page = await open(390, 'dark');
  await say(page, 'Show the broken one');
  await page.getByText(/^This interface cannot be shown: .*Rocket/).waitFor();
  expect(await page.evaluate('told')).toContain('which the catalog does not have');
  expect(await axeFaults(page)).toEqual([]);
  await shoot(page, 'broken-390-dark');
});
