import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { launchOptions } from '../../scripts/ensure-chromium.ts';

/** A person with a browser, and what its console says that it should not. */
export type Visitor = {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly conversation: Locator;
  readonly say: (text: string) => Promise<void>;
  /** Warnings, errors, and requests to other hosts. */
  readonly complaints: readonly string[];
};

let browser: Browser | null = null;

/** Options of a visit. `script` runs in each page before its own scripts. */
export type VisitOptions = BrowserContextOptions & { readonly script?: string };

/** A host that leads to this machine and is none of its own names: browsers trust a page there only over HTTPS. */
export const plainHost = 'chat.test';

export async function visit(url: string, { script, ...options }: VisitOptions = {}): Promise<Visitor> {
  const { args = [], ...launch } = launchOptions();
  const resolver = `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`;
  browser ??= await chromium.launch({ ...launch, args: [...args, resolver] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith('http') && host !== new URL(url).host) complaints.push(`request to ${host}`);
  });
  await page.goto(url);
  await page.getByLabel('Message', { exact: true }).first().waitFor();
  return {
    page,
    context,
    conversation: page.getByRole('region', { name: 'Conversation' }),
    say: (text) => say(page, text),
    complaints,
  };
}

export async function say(page: Page, text: string): Promise<void> {
  const field = page.getByLabel('Message', { exact: true });
  await field.fill(text);
  await field.press('Enter');
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = null;
}
