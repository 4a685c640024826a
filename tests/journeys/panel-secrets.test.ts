import fc from 'fast-check';
import type { Locator, Page } from 'playwright-core';
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
    panelPage.mount({
      position: 'bottom',
      theme: 'light',
      // What no pattern and no name of ours tells: of one form where a text is replaced, of another where it throws.
      sanitize(_path: readonly string[], value: unknown) {
        if (typeof value !== 'string') return value;
        if (value.includes('thrown-canary')) throw new Error('It cannot be told what this is.');
        return value.replaceAll(/canary-\d+/g, '(taken out)');
      },
    });
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
const shown = (of: Page = visit.page): Promise<string> =>
  of.evaluate(() => {
    const panel = document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelector('.root');
    const copy = panel?.cloneNode(true) as Element;
    for (const field of copy.querySelectorAll('[type="search"]')) field.remove();
    return copy.outerHTML;
  });

/** The full texts of the rows of a tree or a list, which is walked by keyboard, with every row opened. */
const wholeTexts = (name: string, next: string): Promise<string[]> =>
  visit.page.evaluate(
    async ([label, onward]) => {
      const shadow = document.querySelector('[data-vitrine-devtools]')?.shadowRoot;
      const tree = shadow?.querySelector(`[aria-label="${label}"].scroll`) as HTMLElement;
      const press = async (key: string): Promise<void> => {
        tree.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        // React renders what a key has done before anything else gets its turn.
        await Promise.resolve();
      };
      const active = (): string | null => tree.getAttribute('aria-activedescendant');
      const texts = new Set<string>();
      for (let before: string | null = ''; active() !== before;) {
        before = active();
        await press('Enter');
        texts.add(shadow?.querySelector('.whole')?.outerHTML ?? '');
        await press(onward);
        // What was open already has been closed: now it is open again.
        if (active() === before) await press(onward);
      }
      return [...texts];
    },
    [name, next] as const,
  );

/** Opens what is folded, and shows what is cut. */
async function unfold(of: Locator): Promise<void> {
  for (const what of ['details:not([open]) > summary', 'button:text-matches("^Show all")'])
    while ((await of.locator(what).count()) > 0) await of.locator(what).first().dispatchEvent('click');
}

/** The State page in a window of its own, with masked rows opened by a click. */
async function lookIntoOwnWindow(): Promise<string> {
  await page('State').click();
  const popup = await visit.ownWindow();
  const outside = popup.getByRole('region', { name: 'Vitrine devtools' });
  const texts: string[] = [];
  const tree = outside.getByRole('tree', { name: 'Object graph' });
  await tree.getByRole('treeitem', { name: /▸ metadata/ }).click();
  for (const name of ['systemPrompt', 'via', 'secret']) {
    await tree.getByRole('treeitem', { name: new RegExp(`^${name}:`) }).click();
    expect([name, await outside.locator('.whole').count()]).toEqual([name, 1]);
    texts.push(await shown(popup));
  }
  await popup.close();
  await visit.panel.waitFor();
  return texts.join();
}

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
      await unfold(panel.getByRole('tabpanel', { name }));
      await look(`${name} of ${await item.getAttribute('aria-label')}`);
    }
  }
  seen.push(['own window', await lookIntoOwnWindow()]);
  await page('State').click();
  const texts = await wholeTexts('Object graph', 'ArrowRight');
  expect(texts.length).toBeGreaterThan(50);
  seen.push(['State, in full', texts.join()]);
  for (const name of pages) {
    await page(name).click();
    await panel.getByRole('button', { name: 'Copy', exact: true }).click();
    for (const button of await panel.getByRole('button', { name: /^Copy / }).all()) await button.click();
  }
  for (const name of ['State', 'Events']) {
    await view(name).click();
    if (name === 'State') {
      // It begins at what has changed.
      await panel.getByRole('button', { name: 'Fit View' }).click();
      await panel.getByRole('button', { name: /look/ }).first().waitFor();
    }
    await look(name);
  }
  const events = await wholeTexts('Events', 'ArrowDown');
  expect(events.length).toBeGreaterThan(50);
  seen.push(['Events, in full', events.join()]);
  await view('Trace').click();
  await panel.getByRole('button', { name: 'Make a test' }).click();
  await panel.getByRole('button', { name: 'Copy test' }).click();
  await panel.getByRole('button', { name: 'Preview trace' }).click();
  await look('Trace');
  const field = panel.getByLabel('Search everything');
  for (const secret of hidden) {
    await field.fill(secret);
    await panel.getByText('Nothing matches.').waitFor();
    await field.fill('researcher');
    await panel.getByText(/^\d+ found$/).waitFor();
  }
  await look('Search');
  await field.fill('');
  return seen;
}

/** Nothing marks it but the names under which it stands. */
const named = 'four grey horses';

/** So many stand in one text, each in a line of its own. */
const together = 8;

describe('a planted secret', () => {
  it('a planted secret is nowhere in the panel, in its search results and copies, nor in the console', async () => {
    const shapes = Object.entries(secretShapes).map(([name, shape], seed) => {
      const [secret = ''] = fc.sample(secrets, { numRuns: 1, seed });
      return { name, secret, text: shape(secret) };
    });
    expect(shapes.length).toBeGreaterThan(30);
    for (let at = 0; at < shapes.length; at += together) {
      const group = shapes.slice(at, at + together);
      await visit.page.evaluate(
        async (texts) => {
          await panelPage.agents.get('planted')?.dispose();
          panelPage.agents.set('planted', await panelPage.planted(...texts));
        },
        [group.map(({ text }) => text).join('\n'), named] as const,
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
        for (const { name, secret } of [...group, { name: 'named', secret: named }])
          expect([name, where, around(text, secret)]).toEqual([name, where, '']);
    }
  }, 600_000);
});

describe('what the application does not let pass', () => {
  it.each(['canary-4711', 'thrown-canary'])(
    'a redacted value is nowhere in the panel, in its search results and copies: %s',
    async (canary) => {
      await visit.page.evaluate(
        async ([text, name]) => {
          await panelPage.agents.get('planted')?.dispose();
          panelPage.agents.set('planted', await panelPage.planted(text, name));
        },
        [canary, named] as const,
      );
      await visit.panel
        .getByText(/because|finished/)
        .first()
        .waitFor();
      const seen = await walk([canary]);
      const copied = await visit.page.evaluate(() =>
        (globalThis as unknown as { copied: string[] }).copied.splice(0),
      );
      expect(copied.length).toBeGreaterThan(10);
      for (const [where, text] of [...seen, ['copied', copied.join()]] as const)
        expect([where, around(text, canary)]).toEqual([where, '']);
      // What runs has it as it was.
      const state = await visit.page.evaluate(() =>
        JSON.stringify(panelPage.agents.get('planted')?.store.getState().state),
      );
      expect(state).toContain(canary);
    },
    300_000,
  );
});

/** The place of the secret, for the error message. */
function around(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 100);
}
