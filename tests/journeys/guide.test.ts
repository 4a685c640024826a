import { expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '8' });

it('the first minute is gone through by keyboard, and does not come back', async () => {
  const { page, conversation } = await demo.visit();
  const guide = page.getByRole('complementary', { name: 'The first minute' });
  const press = async (name: string): Promise<void> => {
    const button = page.getByRole('button', { name, exact: true });
    await expect.poll(() => button.isEnabled()).toBe(true);
    await button.focus();
    await page.keyboard.press('Enter');
  };
  await guide.getByText('Ask for something').waitFor();
  await press('Show me');
  await guide.getByText('It used a tool').waitFor();
  await conversation.getByText('Noted. There is 1 note now.').waitFor();
  await conversation.locator('.vitrine-tool-call summary').focus();
  await page.keyboard.press('Enter');
  await guide.getByText('Some tools ask first').waitFor();
  await press('Show me');
  await press('Edit');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('friday.md');
  const download = page.waitForEvent('download');
  await press('Approve with these changes');
  expect((await download).suggestedFilename()).toBe('friday.md');
  await conversation.getByText('Saved 1 note as friday.md.').last().waitFor();
  await guide.getByText('Ask for something long').waitFor();
  await press('Show me');
  await conversation.getByText('An agent is a loop').first().waitFor();
  await page.getByLabel('Message', { exact: true }).focus();
  await page.keyboard.press('Escape');
  await guide.getByText('Why did the answer end?').waitFor();
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await panel.getByRole('tab', { name: 'Why' }).focus();
  await page.keyboard.press('Enter');
  await panel
    .getByText(/because a person asked for it/)
    .first()
    .waitFor();
  await guide.getByText('Replay the run without a model').waitFor();
  await panel.getByRole('tab', { name: 'Trace' }).focus();
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Replay' }).waitFor();
  await guide.getByText('Replay the run without a model').waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await panel.getByRole('button', { name: 'Replay' }).focus();
  await page.keyboard.press('Enter');
  await panel
    .getByText(/^The replay ended in the same state\. 1 model call and 0 tool calls were answered/)
    .waitFor();
  expect(asked.filter((url) => url.includes('/api'))).toEqual([]);
  await guide.getByText('That was the first minute.').waitFor();
  await press('Close');
  await guide.waitFor({ state: 'detached' });
  await page.reload();
  await conversation.getByText('Stopped by you').waitFor();
  expect(await guide.count()).toBe(0);
});

it('a step that speaks of a call waits while a session is shown that has none', async () => {
  const { page, conversation } = await demo.visit();
  const guide = page.getByRole('complementary', { name: 'The first minute' });
  await guide.getByRole('button', { name: 'Show me' }).click();
  await guide.getByText('It used a tool').waitFor();
  await conversation.getByText('Noted. There is 1 note now.').waitFor();
  await page.getByRole('button', { name: 'New session', exact: true }).click();
  await page.getByText('What would you like to see?').waitFor();
  await guide.waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('Remember that').click();
  await guide.getByText('It used a tool').waitFor();
});

it('who wants no guide gets none, until they ask for it', async () => {
  const { page } = await demo.visit();
  const guide = page.getByRole('complementary', { name: 'The first minute' });
  await guide.getByRole('button', { name: 'Hide guide' }).click();
  await guide.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('What would you like to see?').waitFor();
  expect(await guide.count()).toBe(0);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Show the guide again' }).click();
  await page.getByRole('dialog', { name: 'Settings' }).getByRole('button', { name: 'Close' }).click();
  await guide.getByText('Ask for something').waitFor();
});
