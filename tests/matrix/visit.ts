import { type Browser, chromium, type Page } from 'playwright-core';
import { launchOptions } from '../../scripts/ensure-chromium.ts';

/** A page in a real browser, with everything that its console should not say. */
export type Visit = {
  readonly page: Page;
  readonly complaints: readonly string[];
  /** The messages that a chat shows. */
  readonly messagesOf: (chat: string) => Promise<string[]>;
  readonly counts: () => Promise<Record<string, number>>;
  readonly close: () => Promise<void>;
};

const browsers = new Map<string, Promise<Browser>>();

/**
 * Opens a page, and waits until it is there: until something that a selector names is. `feature` is one of Chromium that
 * is off by default.
 */
export async function visit(url: string, isThere = 'html[data-ready]', feature = ''): Promise<Visit> {
  const { args = [], ...options } = launchOptions();
  const enabled = feature === '' ? [] : [`--enable-features=${feature}`];
  const browser = browsers.get(feature) ?? chromium.launch({ ...options, args: [...args, ...enabled] });
  browsers.set(feature, browser);
  const context = await (await browser).newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // A development server bundles large packages before its first page.
  await page.goto(url, { timeout: 120_000 });
  await page.locator(isThere).first().waitFor();
  return {
    page,
    complaints,
    messagesOf: (chat) =>
      page.getByRole('region', { name: chat, exact: true }).locator('li').allTextContents(),
    counts: () => page.evaluate(() => globalThis.counts ?? {}),
    close: () => context.close(),
  };
}

export async function closeBrowser(): Promise<void> {
  for (const browser of browsers.values()) await (await browser).close();
  browsers.clear();
}
