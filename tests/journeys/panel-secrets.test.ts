import fc from 'fast-check';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secrets, secretShapes } from '../secrets/secret-shapes.ts';
import { endPanelVisits, panelVisit, type PanelVisit } from './panel-page/panel-visit.ts';

let visit: PanelVisit;
const consoleTexts: string[] = [];

beforeAll(async () => {
  visit = await panelVisit();
  visit.page.on('console', (message) => consoleTexts.push(message.text()));
  await visit.page.evaluate(() => {
    const copied: string[] = [];
    Object.assign(globalThis, { copied });
    const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text));
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
    panelPage.mount({ position: 'bottom', theme: 'light' });
  });
});
afterAll(async () => {
  expect(visit.complaints).toEqual([]);
  await visit.close();
  await endPanelVisits();
});

const view = (name: string): Locator =>
  visit.panel.getByRole('tablist', { name: 'Views', exact: true }).getByRole('tab', { name });
const page = (name: string): Locator =>
  visit.panel.getByRole('tablist', { name: /^Views of step/ }).getByRole('tab', { name });

const pages = ['Sent', 'Received', 'Tools', 'State', 'Why'];

/** All of the panel as it stands, with what is in attributes and folded parts; without what is typed into its search. */
const shown = (): Promise<string> =>
  visit.page.evaluate(() => {
    const panel = document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root');
    const copy = panel?.cloneNode(true) as Element;
    for (const field of copy.querySelectorAll('[type="search"]')) field.remove();
    return copy.outerHTML;
  });

/** Every view, every page of every step, what is found, copied, previewed and made into a test. */
async function walk(hidden: readonly string[]): Promise<readonly (readonly [where: string, text: string])[]> {
  const { panel } = visit;
  const seen: (readonly [string, string])[] = [];
  const look = async (where: string): Promise<void> => void seen.push([where, await shown()]);
  await view('Run').click();
  await look('Run');
  for (const item of await panel.getByRole('treeitem').all()) {
    await item.click();
    for (const name of pages) {
      await page(name).click();
      await look(`${name} of ${await item.getAttribute('aria-label')}`);
    }
  }
  for (const name of pages) {
    await page(name).click();
    for (const button of await panel.getByRole('button', { name: /^Copy / }).all()) await button.click();
  }
  for (const name of ['Graph', 'Events']) {
    await view(name).click();
    if (name === 'Graph') await panel.getByRole('button', { name: /look/ }).first().waitFor();
    await look(name);
  }
  await view('Trace').click();
  await panel.getByRole('button', { name: 'Make a test' }).click();
  await panel.getByRole('button', { name: 'Copy test' }).click();
  await panel.getByRole('button', { name: 'Preview trace' }).click();
  await look('Trace');
  const field = panel.getByLabel('Search everything');
  for (const secret of hidden) {
    await field.fill(secret);
    await panel.getByText('Nothing matches.').waitFor();
    await field.fill('Where is');
    await panel.getByText(/^\d+ found$/).waitFor();
  }
  await look('Search');
  await field.fill('');
  return seen;
}

/** So many stand in one text, each in a line of its own. */
const together = 8;

describe('a planted secret', () => {
  it('is nowhere in the panel, in what it finds and copies, nor in the console', async () => {
    const shapes = Object.entries(secretShapes).map(([name, shape], seed) => {
      const [secret = ''] = fc.sample(secrets, { numRuns: 1, seed });
      return { name, secret, text: shape(secret) };
    });
    expect(shapes.length).toBeGreaterThan(30);
    for (let at = 0; at < shapes.length; at += together) {
      const group = shapes.slice(at, at + together);
      await visit.page.evaluate(
        async (text) => {
          await panelPage.agents.get('planted')?.dispose();
          panelPage.agents.set('planted', await panelPage.planted(text));
        },
        group.map(({ text }) => text).join('\n'),
      );
      await visit.panel
        .getByText(/Refused/)
        .first()
        .waitFor();
      const seen = await walk(group.map(({ secret }) => secret));
      const copied = await visit.page.evaluate(() =>
        (globalThis as unknown as { copied: string[] }).copied.splice(0),
      );
      expect(copied.length).toBeGreaterThan(10);
      for (const [where, text] of [
        ...seen,
        ['copied', copied.join()],
        ['console', consoleTexts.join()],
      ] as const)
        for (const { name, secret } of group)
          expect([name, where, around(text, secret)]).toEqual([name, where, '']);
    }
  }, 300_000);
});

/** Where the secret stands, for who mends it. */
function around(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 100);
}
