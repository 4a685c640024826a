import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

// The panel asks for the past of a session of the server, which the demo does not let a person inspect.
const expected = /^Failed to load resource: .* 403 /;
const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '40' }, { expected });
let visitor: Visitor;

/** Another tab on what this one shows. */
async function secondTab(url = visitor.page.url()): Promise<Page> {
  const other = await visitor.context.newPage();
  await other.goto(url);
  await other.getByLabel('Message', { exact: true }).waitFor();
  return other;
}

describe('a person with one session in two tabs', () => {
  it('a person sees an answer stream in both tabs, and stops it in the other one', async () => {
    visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    const other = await secondTab();
    await other.getByText('The result is 2.').waitFor();
    await say('Write a long answer');
    await other.getByText('An agent is a loop').first().waitFor();
    await other.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await other.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await conversation.innerText()).toBe(
      await other.getByRole('region', { name: 'Conversation' }).innerText(),
    );
  });

  it('a person asks in the second tab, closes the first while it answers, and continues in the second', async () => {
    visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    const other = await secondTab();
    await other.getByText('The result is 2.').waitFor();
    const field = other.getByLabel('Message', { exact: true });
    await field.fill('Write a long answer');
    await field.press('Enter');
    await conversation.getByText('An agent is a loop').first().waitFor();
    await page.close();
    await other.getByRole('button', { name: 'Resume' }).click();
    await other.getByRole('button', { name: 'Stop' }).click();
    await other.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await field.fill('What is 2 + 2?');
    await field.press('Enter');
    await other.getByText('The result is 4.', { exact: true }).waitFor();
    expect(await other.locator('.vitrine-user').filter({ hasText: 'Write a long answer' }).count()).toBe(1);
  });
});

describe('a person with eight tabs on one session of a server', { timeout: 180_000 }, () => {
  it('a person sees the report in all eight tabs over HTTP/1.1, and a ninth page of the origin loads', async () => {
    visitor = await demo.visit();
    const { page, context } = visitor;
    const open = new Set<Request>();
    context.on('request', (request) => {
      if (request.url().endsWith('/events')) open.add(request);
    });
    context.on('requestfinished', (request) => void open.delete(request));
    context.on('requestfailed', (request) => void open.delete(request));
    await page.getByRole('radio', { name: /^Researcher/ }).check();
    await page.getByRole('button', { name: 'Run on the server' }).click();
    await page.getByText('On the server', { exact: true }).waitFor();
    const tabs = [page];
    while (tabs.length < 8) tabs.push(await secondTab());
    await visitor.say('Research how budgets work');
    for (const tab of tabs) await tab.getByRole('region', { name: 'May save_report run?' }).waitFor();
    await expect.poll(() => open.size, { timeout: 20_000 }).toBe(1);
    await page.close();
    await secondTab(tabs[1]!.url());
    const card = tabs[7]!.getByRole('region', { name: 'May save_report run?' });
    await card.getByRole('button', { name: 'Approve', exact: true }).click();
    for (const tab of tabs.slice(1)) await tab.getByRole('region', { name: /^Report:/ }).waitFor();
  });
});
