import { describe, expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '12' });
let visitor: Visitor;

describe('a person who says something else', () => {
  it('a person edits by keyboard, goes back with the arrows, and keeps the focus', async () => {
    visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    const focusedElement = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    await say('What is 2 + 2?');
    await conversation.getByText('The result is 4.').waitFor();
    const edit = conversation.getByRole('button', { name: 'Edit message' });
    await edit.first().focus();
    await page.keyboard.press('Enter');
    expect(await focusedElement()).toBe('Edit your message');
    await page.keyboard.press('Escape');
    expect(await focusedElement()).toBe('Edit message');
    await page.keyboard.press('Enter');
    await conversation.getByLabel('Edit your message').fill('What is 3 + 3?');
    await page.keyboard.press('Enter');
    await conversation.getByText('The result is 6.').waitFor();
    expect(await conversation.getByText('The result is 4.').count()).toBe(0);
    expect(await focusedElement()).toBe('Edit message');

    await conversation.getByRole('group', { name: 'version 2 of 2' }).waitFor();
    await conversation.getByRole('button', { name: 'Previous version' }).focus();
    await page.keyboard.press('Enter');
    await conversation.getByText('The result is 4.').waitFor();
    expect(await focusedElement()).toBe('Previous version');
    await page.reload();
    await conversation.getByText('The result is 4.').waitFor();
    await conversation.getByRole('button', { name: 'Next version' }).click();
    await conversation.getByText('The result is 6.').waitFor();
  });

  it('a person has an answer regenerated while it streams, and keeps the first part', async () => {
    visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    await say('Write a long answer');
    await conversation.getByText('An agent is a loop').first().waitFor();
    await conversation.getByRole('button', { name: 'Edit message' }).click();
    await conversation.getByLabel('Edit your message').fill('What is 5 + 5?');
    await page.keyboard.press('Enter');
    await conversation.getByText('The result is 10.').waitFor();
    await conversation.getByRole('button', { name: 'Answer again' }).click();
    await conversation.getByRole('group', { name: 'answer 2 of 2' }).waitFor();
    await conversation.getByText('The result is 10.').waitFor();
    await conversation.getByRole('button', { name: 'Previous version' }).click();
    await conversation.getByText('An agent is a loop').first().waitFor();
    // One sentence for one stop.
    await conversation.getByText('Stopped by you').waitFor();
    const note = conversation.getByText('This answer is incomplete.');
    await note.waitFor({ state: 'attached' });
    expect(await note.isVisible()).toBe(false);
  });

  it('the notes belong to the branch that is shown', async () => {
    visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    await say('Remember that tea is at four');
    await conversation.getByText('Noted. There is 1 note now.').waitFor();
    await say('Remember that lunch is at one');
    await conversation.getByText('Noted. There are 2 notes now.').waitFor();
    await conversation.getByRole('button', { name: 'Edit message' }).last().click();
    await conversation.getByLabel('Edit your message').fill('Show my notes');
    await page.keyboard.press('Enter');
    const notes = conversation.getByText(/Your notes:/);
    await notes.waitFor();
    const answer = conversation.getByRole('article').last();
    await expect.poll(() => answer.innerText(), { timeout: 5000 }).toMatch(/tea is at four/);
    expect(await answer.innerText()).not.toMatch(/lunch/);
  });

  it('a person forks into a session that opens, on a phone as well', async () => {
    visitor = await demo.visit({ viewport: { width: 390, height: 844 }, hasTouch: true });
    const { page, conversation, say } = visitor;
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    await say('What is 2 + 2?');
    await conversation.getByText('The result is 4.').waitFor();
    // An answer has its buttons when its run is over.
    const again = conversation.getByRole('button', { name: 'Answer again' });
    await expect.poll(() => again.count()).toBe(2);
    await again.last().click();
    await conversation.getByRole('group', { name: 'answer 2 of 2' }).waitFor();
    await expect.poll(() => again.count()).toBe(2);
    const edges = await conversation
      .locator('.vitrine-actions')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(Math.max(...edges)).toBeLessThanOrEqual(390);
    const before = page.url();
    await conversation.getByRole('button', { name: 'Fork into a new session' }).first().click();
    await page.waitForURL((url) => url.href !== before);
    // The address changes before what is drawn, and between both sessions none is.
    await expect.poll(() => conversation.getByText('The result is 4.').count()).toBe(0);
    await conversation.getByText('The result is 2.').waitFor();
    await say('What is 4 + 4?');
    await conversation.getByText('The result is 8.').waitFor();
    await page.goBack();
    await conversation.getByText('The result is 4.').waitFor();
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    const titles = page.getByRole('navigation', { name: 'Sessions' }).locator('.vitrine-session-title');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['What is 1 + 1?', 'What is 1 + 1?']);
  });
});
