import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import { axeFaults } from './axe-faults.ts';

// The application of examples/artifacts, with a model that follows a script.

let served: ServedPage;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  served = await servePage('journeys/artifact-page');
  browser = await chromium.launch(launchOptions());
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

async function open(width: number, colorScheme: 'light' | 'dark', dir: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${served.url}?dir=${dir}`);
  await page.getByLabel('Message', { exact: true }).waitFor();
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

async function expectSound(page: Page, name: string): Promise<void> {
  expect(await axeFaults(page)).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
  ).toBe(true);
  const shots = process.env['SHOTS'];
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
}

it.each([
  [390, 'light', 'rtl'],
  [1440, 'dark', 'ltr'],
] as const)(
  'a person edits an artifact, compares and restores its versions, also after a reload: %i, %s, %s',
  async (width, scheme, dir) => {
    const page = await open(width, scheme, dir);
    const panel = page.getByRole('complementary', { name: 'Artifacts' });
    const shot = (name: string): string => `artifacts-${name}-${width}-${scheme}-${dir}`;
    await say(page, 'A plan');
    await panel.getByText('Paint the hall').waitFor();
    await say(page, 'A plan again');
    await panel.getByText('Version 2 of 2').waitFor();
    await panel.getByRole('button', { name: 'Changes' }).click();
    expect(await panel.locator('del, ins').allTextContents()).toEqual([
      'Buy paint\n',
      'Buy paint and brushes\n',
    ]);
    await expectSound(page, shot('changes'));
    await panel.getByRole('button', { name: 'Edit' }).click();
    await panel.getByRole('textbox', { name: 'Text of Plan' }).fill('Rest on Sunday');
    await expectSound(page, shot('edit'));
    await panel.getByRole('button', { name: 'Save as a new version' }).click();
    await panel.getByText('Version 3 of 3, by you').waitFor();
    await say(page, 'What did I write?');
    await page.getByText('A rest.', { exact: true }).waitFor();
    await page.reload();
    await panel.getByText('Version 3 of 3, by you').waitFor();
    await panel.getByRole('button', { name: 'Older' }).click();
    await panel.getByRole('button', { name: 'Older' }).click();
    await panel.getByRole('button', { name: 'Use this version' }).click();
    await panel.getByText('Version 4 of 4, by you').waitFor();
    expect(await panel.getByRole('region', { name: 'Plan' }).textContent()).toBe(
      'Buy paint\nPaint the hall\n',
    );
    expect(complaints.splice(0)).toEqual([]);
  },
);

it('a page of the model runs in its frame, and reaches neither the page around it nor a network', async () => {
  const page = await open(1440, 'light', 'ltr');
  const panel = page.getByRole('complementary', { name: 'Artifacts' });
  await say(page, 'A plan');
  await panel.getByRole('region', { name: 'Plan' }).waitFor();
  await say(page, 'A page');
  const frame = page.frameLocator('iframe[title="Menu"]');
  await frame.getByText('Reached nothing', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Source' }).click();
  await panel.getByText('<h1>Menu</h1>').waitFor();
  await panel.getByRole('combobox', { name: 'Artifact' }).selectOption('Plan');
  await panel.getByRole('region', { name: 'Plan' }).waitFor();
  await expectSound(page, 'artifacts-page');
  // The browser tells what it refused.
  expect(complaints.splice(0).every((text) => text.includes('Content Security Policy'))).toBe(true);
});
