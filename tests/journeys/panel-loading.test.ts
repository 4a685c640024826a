import { beforeEach, describe, expect, it } from 'vitest';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import type { PanelVisit } from './panel-page/panel-visit.ts';

const open = panelJourneys();
let visit: PanelVisit;

beforeEach(async () => {
  visit = await open();
});

/** Files of the panel that the page has asked for. */
const loaded = (): Promise<string[]> =>
  visit.page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => /(mount|loaded-panel|graph-canvas|trace-view)-[^/]*\.js$/.exec(name)?.[1] ?? []),
  );

const mount = (options: object): Promise<unknown> =>
  visit.page.evaluate((given) => void panelPage.mount(given), options);

describe('the code of the panel', () => {
  it('the code of the panel is loaded when it is mounted, of its content when it is opened, of a view with the view', async () => {
    const { page, panel } = visit;
    expect(await loaded()).toEqual([]);
    await mount({ initialIsOpen: false });
    const launcher = page.getByRole('button', { name: 'Open Vitrine devtools' });
    await launcher.waitFor();
    expect(await loaded()).toEqual(['mount']);
    await launcher.click();
    await panel.getByText(/^No session on this page yet/).waitFor();
    expect(await loaded()).toEqual(['mount', 'loaded-panel']);
    await page.evaluate(() => panelPage.add('agent'));
    await panel.getByRole('tab', { name: 'State' }).first().click();
    await panel.getByRole('button', { name: /AgentState/ }).waitFor();
    await panel.getByRole('tab', { name: 'Trace' }).click();
    await panel.getByRole('button', { name: 'Make a test' }).waitFor();
    expect(await loaded()).toEqual(['mount', 'loaded-panel', 'graph-canvas', 'trace-view']);
  });

  it('a part of the panel that cannot be loaded is reported as missing, and loads on the next request', async () => {
    const { page, panel } = visit;
    const parts = /(loaded-panel|graph-canvas|trace-view)-[^/]*\.js$/;
    await page.route(parts, (route) => route.abort());
    await mount({});
    await page.evaluate(() => panelPage.add('agent'));
    const tab = (name: string): Promise<void> => panel.getByRole('tab', { name }).first().click();
    const found = [
      () => panel.getByRole('tab', { name: 'State' }).first(),
      () => panel.getByRole('button', { name: /AgentState/ }),
      () => panel.getByRole('button', { name: 'Make a test' }),
    ];
    const openings = [() => Promise.resolve(), () => tab('State'), () => tab('Trace')];
    for (const [at, openPart] of openings.entries()) {
      await openPart();
      await panel.getByText(/^This part of the panel could not be loaded/).waitFor();
      await page.unroute(parts);
      await panel.getByRole('button', { name: 'Try again' }).click();
      await found[at]?.().waitFor();
      await page.route(parts, (route) => route.abort());
    }
    // What the browser itself says of a request that failed.
    const said = visit.complaints.splice(0);
    expect(said).toHaveLength(openings.length);
    for (const text of said) expect(text).toContain('ERR_FAILED');
  });

  it("the panel may load late: the record has the agents' earlier work from its first event", async () => {
    const { page, panel } = visit;
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/mount-[^/]*\.js$/, async (route) => {
      await isReleased;
      await route.continue();
    });
    await mount({});
    await page.evaluate(() => panelPage.add('early'));
    expect(await page.locator('[data-vitrine-devtools]').count()).toBe(0);
    release();
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await panel.getByRole('tab', { name: 'Events' }).click();
    await panel.getByText('execution-start').waitFor();
    expect(await panel.getByText(/came before the panel began to record/).count()).toBe(0);
  });

  it('the panel opens with the hotkey as with the button', async () => {
    const { page, panel } = visit;
    await mount({ initialIsOpen: false });
    await page.getByRole('button', { name: 'Open Vitrine devtools' }).waitFor();
    await page.keyboard.press('Alt+Shift+V');
    await panel.getByText(/^No session on this page yet/).waitFor();
    expect(
      await panel.evaluate((element) => element === (element.getRootNode() as ShadowRoot).activeElement),
    ).toBe(true);
  });

  it('a page has one panel after 50 mounts in a row, and what it recorded before them', async () => {
    const { page, panel } = visit;
    await mount({});
    await page.evaluate(() => panelPage.add('early'));
    await panel.getByText(/^It finished after 1 step/).waitFor();
    const cdp = await page.context().newCDPSession(page);
    const listeners = async (): Promise<number> => {
      await cdp.send('HeapProfiler.collectGarbage');
      return (await cdp.send('Memory.getDOMCounters')).jsEventListeners;
    };
    const cycles = (): Promise<void> =>
      page.evaluate(async () => {
        for (let cycle = 0; cycle < 50; cycle++) {
          const unmount = panelPage.mount();
          if (cycle % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
          unmount();
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
      });
    await cycles();
    const before = await listeners();
    await cycles();
    expect(await listeners()).toBeLessThanOrEqual(before + 2);
    expect(await page.locator('[data-vitrine-devtools]').count()).toBe(1);
    await panel.getByRole('tab', { name: 'Events' }).click();
    await panel.getByText('execution-start').waitFor();
  });
});
