import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import type { PanelVisit } from './panel-page/panel-visit.ts';

const open = panelJourneys();
let visit: PanelVisit;

const view = (name: string): Locator =>
  visit.panel.getByRole('tablist', { name: 'Views', exact: true }).getByRole('tab', { name });
const page = (name: string): Locator =>
  visit.panel.getByRole('tablist', { name: /^Views of step/ }).getByRole('tab', { name });

const elements = (): Promise<number> =>
  visit.page.evaluate(
    () => document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.querySelectorAll('*').length ?? 0,
  );

/** Mounts the panel in a new page, and runs an agent there. */
async function mountPanel(run: () => Promise<unknown>): Promise<void> {
  visit = await open();
  await visit.page.evaluate(() => panelPage.mount({ position: 'bottom' }));
  await visit.page.evaluate(run);
}

async function opened(steps: number, resultLength: number): Promise<void> {
  visit = await open();
  await visit.page.evaluate(
    async ([count, length]) => {
      panelPage.mount({ position: 'bottom' });
      await panelPage.manySteps(count, length);
    },
    [steps, resultLength] as const,
  );
}

describe('a run of 1,000 steps and 10 MB', () => {
  it('a large run puts only visible rows into the document, in every view and on every page', async () => {
    await opened(1000, 10_000);
    const { panel } = visit;
    // As many as are kept; what made room is told.
    await panel.getByText(/^It finished after 1001 steps/).waitFor();
    for (const name of ['Run', 'State', 'Events', 'Trace', 'Run']) {
      await view(name).click();
      if (name === 'State') await panel.getByRole('button', { name: /look/ }).first().waitFor();
      if (name === 'Events') await panel.getByText(/ older events of 501 steps were dropped/).waitFor();
      expect([name, (await elements()) <= 3000]).toEqual([name, true]);
    }
    const steps = panel.getByRole('tree', { name: 'Steps' });
    await steps.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await steps.getByRole('treeitem').nth(5).click();
    for (const name of ['Sent', 'Received', 'Tools', 'State', 'Why']) {
      await page(name).click();
      expect([name, (await elements()) <= 3000]).toEqual([name, true]);
    }
  });

  it('a search of a large run takes every letter and ends', async () => {
    await opened(1000, 10_000);
    const { panel, page: shown } = visit;
    await panel.getByText(/^It finished after 1001 steps/).waitFor();
    const search = panel.getByLabel('Search everything');
    await search.focus();
    for (const letter of 'walker') await shown.keyboard.type(letter, { delay: 40 });
    await panel.getByText(/^(\d+ found|Nothing matches\.)$/).waitFor();
    expect(await search.inputValue()).toBe('walker');
  });

  it('a large run is a tree with visible rows only, paged lists, and cut texts', async () => {
    await opened(1000, 10_000);
    const { panel } = visit;
    await panel.getByText(/^It finished after 1001 steps/).waitFor();
    await panel.getByRole('treeitem').last().click();
    await page('State').click();
    const tree = panel.getByRole('tree', { name: 'Object graph' });
    const row = (text: RegExp): Locator => tree.getByRole('treeitem').filter({ hasText: text }).first();
    await tree.focus();
    await row(/^.?execution/).click();
    await row(/stepExecutions/).click();
    await row(/^.?0/).waitFor();
    expect(await tree.getByRole('treeitem').count()).toBeLessThanOrEqual(100);
    await tree.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await row(/Show 100 of \d+ more/).click();
    expect(await tree.getByRole('treeitem').count()).toBeLessThanOrEqual(100);
    const longest = await tree
      .getByRole('treeitem')
      .evaluateAll((rows) => Math.max(...rows.map(({ textContent }) => textContent.length)));
    expect(longest).toBeLessThanOrEqual(500);
  });

  it('a search result in the state leads to its row, also beyond the first rows of a list', async () => {
    await opened(150, 10);
    const { panel } = visit;
    await panel.getByText(/^It finished after 151 steps/).waitFor();
    await panel.getByRole('treeitem').last().click();
    await page('State').click();
    await panel.getByLabel('Search the state').fill('stepExecutions.140.step.toolExecutions.0.toolCall.name');
    await panel.getByRole('button', { name: /140.*toolCall.name "look"/ }).click();
    const tree = panel.getByRole('tree', { name: 'Object graph' });
    const found = tree.getByRole('treeitem', { selected: true });
    expect(await found.getAttribute('id')).toBe(
      'row-AgentState.execution.stepExecutions.140.step.toolExecutions.0.toolCall.name',
    );
    const [row, view] = [await found.boundingBox(), await tree.boundingBox()];
    expect(row!.y).toBeGreaterThanOrEqual(view!.y);
    expect(row!.y + row!.height).toBeLessThanOrEqual(view!.y + view!.height);
    // From there it goes on by keyboard.
    await visit.page.keyboard.press('ArrowUp');
    expect(await found.textContent()).toMatch(/^id/);
  });
});

describe('a tree of 100,000 rows', () => {
  it('a tree of 100,000 rows puts visible ones into the document, from its first row to its last', async () => {
    await mountPanel(() => panelPage.manyNames(100_000));
    const { panel } = visit;
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await panel.getByRole('treeitem').last().click();
    await page('State').click();
    const tree = panel.getByRole('tree', { name: 'Object graph' });
    const row = (name: string): Locator => tree.locator(`[id="row-AgentState.context.metadata${name}"]`);
    await row('').click();
    await row('.many').click();
    await row('.many.name 0').waitFor();
    await tree.evaluate((element) => element.scrollTo(0, 100 * 22));
    await row('.many.…').click();
    // What shows more stays chosen, so that one can go on by keyboard.
    await tree.evaluate((element) => {
      for (let page = 2; page < 1000; page++)
        element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    });
    await tree.evaluate((element) => element.scrollTo(0, 100_000 * 22));
    await row('.many.name 99999').waitFor();
    expect(await tree.getByRole('treeitem').count()).toBeLessThanOrEqual(100);
    expect(await elements()).toBeLessThanOrEqual(3000);
  });
});

describe('three levels of twenty subagents', () => {
  it('three levels of subagents are rows of the waterfall, with one total of tokens, and nodes of the graph', async () => {
    await mountPanel(() => panelPage.threeLevels());
    const { panel } = visit;
    await panel.getByText(/^It finished after 2 steps/).waitFor();
    // 442 model calls: 2 of the root, 2 of each of 20 subagents, and one of each of their 400.
    await panel
      .locator('.toolbar')
      .getByText(/6,630|6\.6k/)
      .first()
      .waitFor();
    const steps = panel.getByRole('tree', { name: 'Steps' });
    await steps.focus();
    // The list opens at its end.
    await visit.page.keyboard.press('Home');
    for (const level of [1, 2, 3, 4, 5]) await steps.getByRole('treeitem', { level }).first().waitFor();
    await view('State').click();
    await panel
      .getByRole('button', { name: /delegate/ })
      .first()
      .waitFor();
    expect(await elements()).toBeLessThanOrEqual(3000);
  });
});

describe('a state with values that JSON cannot hold', () => {
  it('cycles, maps, dates, errors, getters and a proxy that throws are rows, and no getter is called', async () => {
    await mountPanel(() => panelPage.oddValues());
    const { panel } = visit;
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await panel.getByRole('treeitem').last().click();
    await page('State').click();
    const tree = panel.getByRole('tree', { name: 'Object graph' });
    const row = (name: string): Locator => tree.locator(`[id="row-AgentState.context.metadata${name}"]`);
    await row('').click();
    const shown: readonly (readonly [name: string, text: RegExp])[] = [
      ['.map', /Map \(1\)/],
      ['.set', /Set \(1\)/],
      ['.date', /1970-01-01T00:00:00\.000Z/],
      ['.error', /TypeError: It broke/],
      ['.big', /10n/],
      ['.symbol', /Symbol\(sign\)/],
      ['.absent', /undefined/],
      ['.fn', /named\(\)/],
      ['.trap', /getter, not called/],
      ['.proxy', /cannot be read/],
      ['.cycle.cycle', /map/],
    ];
    await row('.cycle').click();
    for (const [name, text] of shown) {
      await row(name).scrollIntoViewIfNeeded();
      expect([name, await row(name).innerText()]).toEqual([name, expect.stringMatching(text)]);
    }
    await panel.getByLabel('Search everything').fill('broke');
    await panel.getByText(/^(\d+ found|Nothing matches\.)$/).waitFor();
  });
});
