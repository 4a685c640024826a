import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { endPanelVisits, panelVisit, type PanelVisit } from '../journeys/panel-page/panel-visit.ts';
import { differingShare } from './differing-share.ts';

// npm run test:pictures; after a change that is meant: UPDATE_PICTURES=1 npm run test:pictures, and look at them.

const references = join(import.meta.dirname, 'references');
/** The actual picture is saved beside the reference, for a look into a failure. */
const seen = join(root, 'node_modules/.cache/vitrine-pictures');
const trace = join(import.meta.dirname, 'trace.json');
const isUpdate = process.env['UPDATE_PICTURES'] === '1';
/** More pixels than these do not differ by how another machine draws. */
const mostDiffering = 0.005;

/** A font that is installed with the repository: those of machines differ. */
const fonts = join(root, 'tests/peers/node_modules/@tanstack/devtools-ui/dist/assets');
const font = join(fonts, readdirSync(fonts).find((name) => /^Inter-latin-.*\.woff2$/.test(name)) ?? '');

let visit: PanelVisit;

beforeAll(() => void mkdirSync(seen, { recursive: true }));
beforeEach(async () => {
  visit = await panelVisit({ context: { viewport: { width: 1000, height: 520 }, timezoneId: 'UTC' } });
});
afterEach(async () => {
  expect(visit.complaints).toEqual([]);
  await visit.close();
});
afterAll(endPanelVisits);

/** The panel with a run that was recorded once, so that all times are the same. */
async function opened(theme: string): Promise<void> {
  const { page, panel } = visit;
  await page.evaluate((given) => void panelPage.mount({ position: 'bottom', theme: given }), theme);
  await panel.getByLabel('Trace file to open').setInputFiles(trace);
  await panel.getByText(/^It finished after 2 steps/).waitFor();
  await draw(page);
  await panel.getByRole('treeitem').first().click();
}

/** Draws the panel of a window with the installed font, and without a caret. */
async function draw(page: Page): Promise<void> {
  await page.evaluate(
    async (data) => {
      const face = new FontFace('Pictures', `url(data:font/woff2;base64,${data})`, { weight: '100 900' });
      document.fonts.add(await face.load());
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        '.theme { --mono: Pictures !important; font-family: Pictures !important; } * { caret-color: transparent !important; }',
      );
      const shadow = document.querySelector('[data-vitrine-devtools]')!.shadowRoot!;
      shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
    },
    readFileSync(font, 'base64'),
  );
}

/** Compares a picture of the panel with its reference. @returns Its name and the share that differs. */
async function compare(name: string, panel: Locator): Promise<[string, number]> {
  const picture = await panel.screenshot({ animations: 'disabled' });
  const reference = join(references, name);
  if (isUpdate || !existsSync(reference)) writeFileSync(reference, picture);
  writeFileSync(join(seen, name), picture);
  return [name, await differingShare(panel.page(), picture, readFileSync(reference))];
}

const pages = ['Sent', 'State', 'Why'];
const views = [...pages, 'Graph', 'Events'];

describe.each(['light', 'dark'])('the panel, %s,', (theme) => {
  it('the panel looks like its reference picture', async () => {
    await opened(theme);
    const { page, panel } = visit;
    const shares: [string, number][] = [];
    for (const view of views) {
      const tabs = panel.getByRole('tab', { name: view === 'Graph' ? 'State' : view, exact: true });
      await (pages.includes(view) ? tabs.last() : tabs.first()).click();
      if (view === 'Graph') {
        await panel
          .getByRole('button', { name: /weather/ })
          .first()
          .waitFor();
        // It moves to where all of it is in view.
        await page.waitForTimeout(1000);
      }
      await page.mouse.move(0, 0);
      shares.push(await compare(`${view.toLowerCase()}-${theme}.png`, panel));
    }
    expect(shares.filter(([, share]) => share > mostDiffering)).toEqual([]);
  });

  it('the panel in its own window looks like its reference picture', async () => {
    await opened(theme);
    const popup = await visit.ownWindow();
    await popup.setViewportSize({ width: 1040, height: 760 });
    await draw(popup);
    const panel = popup.getByRole('region', { name: 'Vitrine devtools' });
    await panel.getByRole('tab', { name: 'Why', exact: true }).click();
    await popup.mouse.move(0, 0);
    const [, share] = await compare(`own-window-${theme}.png`, panel);
    expect(share).toBeLessThanOrEqual(mostDiffering);
  });
});
