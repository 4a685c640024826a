import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '40' });
let visitor: Visitor;

/** Another tab on what this one shows. */
async function secondTab(): Promise<Page> {
  const other = await visitor.context.newPage();
  await other.goto(visitor.page.url());
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
    await other.getByText('The result is 4.').waitFor();
    expect(await other.locator('.vitrine-user').filter({ hasText: 'Write a long answer' }).count()).toBe(1);
  });
});
