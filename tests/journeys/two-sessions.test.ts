import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({}, { isLive: true });

it('where another session is shown in the same place it is read from its end, wherever the last one was read', async () => {
  const { page } = await demo.visit();
  const file = `/@fs${root}/tests/journeys/page/show-two-sessions.tsx`;
  await page.evaluate(`import(${JSON.stringify(file)}).then((it) => it.showTwoSessions())`);
  const end = page.getByRole('button', { name: 'Jump to the latest message' });
  await page.getByText('One 59').waitFor();
  await page.getByRole('region', { name: 'Conversation' }).hover();
  await page.mouse.wheel(0, -600);
  await end.waitFor();
  await page.getByRole('button', { name: 'The other session' }).click();
  const last = page.getByText('Two 59');
  await last.waitFor();
  await expect.poll(() => end.count()).toBe(0);
  expect(await page.evaluate(`document.querySelector('.vitrine-scroller').scrollTop`)).toBeGreaterThan(600);
});

it('what a plugin opened is open once in the tab that runs the session, and closed once when the session leaves it', async () => {
  const { page, context } = await demo.visit();
  const file = `/@fs${root}/tests/journeys/page/show-line.tsx`;
  const show = async (tab: Page, failures: number): Promise<void> => {
    await tab.evaluate(`import(${JSON.stringify(file)}).then((it) => it.showLine(${failures}))`);
    await tab.getByText('messages').first().waitFor();
  };
  const ask = (tab: Page): Promise<void> => tab.getByRole('button', { name: 'Ask' }).last().click();
  const lineIn = (tab: Page): Promise<unknown> => tab.evaluate(`document.body.dataset.line ?? ''`);
  const other = await context.newPage();
  await other.goto(page.url());
  await show(page, 1);
  await ask(page);
  await page.getByText('1 messages, plugin-failed').first().waitFor();
  await ask(page);
  await page.getByText('3 messages').first().waitFor();
  await show(other, 0);
  await other.getByText('3 messages').first().waitFor();
  await ask(other);
  await Promise.all([page, other].map((tab) => tab.getByText('5 messages').first().waitFor()));
  expect([await lineIn(page), await lineIn(other)]).toEqual(['open', '']);
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => lineIn(page)).toBe('open close');
  await ask(other);
  await other.getByText('7 messages').first().waitFor();
  expect([await lineIn(page), await lineIn(other)]).toEqual(['open close', 'open']);
  await other.getByRole('button', { name: 'Leave' }).click();
  await expect.poll(() => lineIn(other)).toBe('open close');
});
