import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import type { PanelVisit } from './panel-page/panel-visit.ts';

const secret = 'sk-proj-abcdefghijklmnopqrstuvwx1234';

declare global {
  var heard: string[];
}

const open = panelJourneys();
let visit: PanelVisit;
let other: Page;

beforeEach(async () => {
  visit = await open();
});

/** A page beside that of the panel; `host` makes it one of another origin. */
async function otherPage(host = '127.0.0.1'): Promise<Page> {
  const page = await visit.page.context().newPage();
  const url = new URL(visit.page.url());
  url.hostname = host;
  await page.goto(url.href);
  await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
  return page;
}

const ask = (page: Page, text: string): Promise<void> =>
  page.evaluate(async (said) => {
    const session =
      panelPage.agents.get('chat') ??
      panelPage.session('chat', [
        { toolCalls: [{ name: 'look', input: { at: said } }] },
        { text: `It is ${said}, as I said`, chunks: 9 },
      ]);
    panelPage.agents.set('chat', session);
    await session.sendMessage(said);
  }, text);

describe('the panel of another page', () => {
  it('the panel of another page shows its events from the beginning, live, and again after a reload', async () => {
    const { page, panel } = visit;
    other = await otherPage();
    await other.evaluate(() => void panelPage.shareSessions(panelPage.broadcastChannel()));
    await ask(other, `blue ${secret}`);
    await page.evaluate(() => {
      globalThis.heard = [];
      panelPage.broadcastChannel().open((message) => void globalThis.heard.push(JSON.stringify(message)));
      panelPage.watchSessions(panelPage.broadcastChannel());
      panelPage.mount();
    });
    await panel.getByText(/^It finished after 2 steps/).waitFor();
    await panel.getByRole('tab', { name: 'State' }).last().click();
    await panel.getByRole('treeitem').first().waitFor();
    await panel.getByRole('tab', { name: 'Run' }).click();
    await ask(other, 'And now?');
    await expect
      .poll(() => panel.getByLabel('Run', { exact: true }).locator('option').count())
      .toBeGreaterThan(2);
    const heard = (await page.evaluate(() => globalThis.heard)).join('');
    expect(heard).toContain('as I said');
    expect(heard).not.toContain(secret.slice(8, 20));
    await other.reload();
    await panel.getByText(/No session on this page yet/).waitFor();
    await other.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
    await other.evaluate(() => void panelPage.shareSessions(panelPage.broadcastChannel()));
    await ask(other, 'Still there?');
    await panel.getByText(/^It finished after 2 steps/).waitFor();
    await other.close();
    await panel.getByText(/No session on this page yet/).waitFor();
  });

  it('the panel hears another origin that is named exactly, and no other', async () => {
    const { page, panel } = visit;
    // The page with the agent opens that of the panel.
    other = await otherPage('localhost');
    const [popup] = await Promise.all([
      other.waitForEvent('popup'),
      other.evaluate((url) => {
        const opened = window.open(url, '_blank');
        if (opened === null) throw new Error('No window was opened.');
        Object.assign(globalThis, { opened });
      }, page.url()),
    ]);
    await popup.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
    const watch = (origin: string): Promise<void> =>
      popup.evaluate((named) => {
        panelPage.watchSessions(panelPage.windowChannel(window.opener as Window, named));
      }, origin);
    const share = (origin: string): Promise<void> =>
      other.evaluate((named) => {
        const { opened } = globalThis as unknown as { opened: Window };
        panelPage.shareSessions(panelPage.windowChannel(opened, named));
      }, origin);
    await popup.evaluate(() => {
      globalThis.heard = [];
      window.addEventListener('message', ({ data }) => void globalThis.heard.push(JSON.stringify(data)));
      panelPage.mount();
    });
    const inPopup = popup.getByRole('region', { name: 'Vitrine devtools' });
    await ask(other, 'blue');
    // Named wrongly by the one: nothing is sent. Named wrongly by the other: nothing of what is sent is heard.
    await share('https://tools.example');
    await watch(new URL(other.url()).origin);
    expect(await popup.evaluate(() => globalThis.heard.length)).toBe(0);
    await watch('https://agents.example');
    await share(new URL(page.url()).origin);
    await inPopup.getByText(/^It finished after 2 steps/).waitFor();
    expect(await inPopup.getByLabel('Session').count()).toBe(0);
    await popup.close();
    expect(await panel.count()).toBe(0);
  });
});
