import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { launchOptions } from '../../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../../serve-page.ts';
import type { PanelPage } from './client.ts';

declare global {
  var panelPage: PanelPage;
}

/** A page with the panel and nothing else, and what its console says that it should not. */
export type PanelVisit = {
  readonly page: Page;
  readonly panel: Locator;
  /** A test that expects some takes them out. */
  readonly complaints: string[];
  /** Opens the panel in a window of its own. */
  readonly ownWindow: () => Promise<Page>;
  readonly close: () => Promise<void>;
};

let served: ServedPage | null = null;
let browser: Browser | null = null;

type PanelVisitOptions = {
  /** The folder of the page below `tests`. */
  readonly folder?: string | undefined;
  readonly context?: BrowserContextOptions;
  /** Headers of the page. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Markup of the page, before the panel is there. */
  readonly html?: string;
};

/** Opens the page; `panelPage.mount()` puts the panel into it. */
export async function panelVisit(options: PanelVisitOptions = {}): Promise<PanelVisit> {
  served ??= await servePage(options.folder ?? 'journeys/panel-page', undefined, {
    'process.env.NODE_ENV': '"development"',
  });
  browser ??= await chromium.launch(launchOptions());
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options.context });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.route(served.url, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('<body>', `<body>${options.html ?? ''}`);
    await route.fulfill({ response, body, headers: { ...response.headers(), ...options.headers } });
  });
  await page.goto(served.url);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  return {
    page,
    panel,
    complaints,
    async ownWindow() {
      await panel.getByRole('button', { name: 'Menu' }).click();
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        panel.getByRole('button', { name: 'Own window' }).click(),
      ]);
      return popup;
    },
    close: () => context.close(),
  };
}

/** Resolves when the panel shows the last event of the run with all its findings. */
export async function diagnosed(panel: Locator): Promise<void> {
  await panel.locator('.verdict[aria-busy="false"]').waitFor();
}

/** Ends what visits share. */
export async function endPanelVisits(): Promise<void> {
  await browser?.close();
  await served?.close();
  browser = null;
  served = null;
}
