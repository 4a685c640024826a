import { describe, expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { pageJourneys } from './page-journeys.ts';
import { say } from './visitor.ts';

const { open } = pageJourneys('journeys/chat-page');

describe.each(['light', 'dark'] as const)('capabilities in a chat in %s', (colorScheme) => {
  it.each([390, 1440])(
    'a person of %i pixels changes tasks and notes and answers questions, over a reload',
    async (width) => {
      const page = await open('?plugins&store', { colorScheme, viewport: { width, height: 900 } });
      await say(page, 'Paint it');
      await page.getByText('Which colour?', { exact: true }).waitFor();
      await page.getByText('Tasks: 0 of 2 done').waitFor();
      await page.getByText('Notes: 1', { exact: true }).click();
      expect(await axeFaults(page)).toEqual([]);
      const { scrollWidth } = await page.evaluate<{ scrollWidth: number }>(
        `({ scrollWidth: document.documentElement.scrollWidth })`,
      );
      expect(scrollWidth).toBeLessThanOrEqual(width);

      await page.getByLabel('Buy paint', { exact: true }).check();
      await page.getByText('Tasks: 1 of 2 done').waitFor();
      await page.getByLabel('New task').fill('Clean up');
      await page.keyboard.press('Enter');
      await page.getByText('Tasks: 1 of 3 done').waitFor();
      await page.getByLabel('shop', { exact: true }).fill('Open until eight');
      await page.getByLabel('New note').fill('colour');
      await page.keyboard.press('Enter');
      await page.getByText('Notes: 2', { exact: true }).waitFor();

      // A reload at once may lose the last change of a person, which is written a moment later.
      await expect.poll(() => page.evaluate('session.isSettled()')).toBe(true);
      await page.reload();
      await page.getByText('Tasks: 1 of 3 done').waitFor();
      await page.getByText('Notes: 2', { exact: true }).click();
      expect(await page.getByLabel('shop', { exact: true }).inputValue()).toBe('Open until eight');
      await page.getByLabel(/^red/).check();
      await page.getByLabel('hall', { exact: true }).check();
      await page.getByRole('button', { name: 'Answer', exact: true }).click();
      await page.getByText('Painted.', { exact: true }).waitFor();

      await page.getByRole('button', { name: 'Delete “shop”' }).click();
      await page.getByText('Notes: 1', { exact: true }).waitFor();
      await say(page, 'Write the note again');
      await page.getByText('Noted? No.', { exact: true }).waitFor();
      expect(await page.getByText('Notes: 1', { exact: true }).count()).toBe(1);
      expect(await axeFaults(page)).toEqual([]);
    },
  );

  it.each([390, 1440])('a person of %i pixels reads the summary that the model reads', async (width) => {
    const options = { colorScheme, viewport: { width, height: 900 } };
    const page = await open(`?compaction&dir=${width === 390 ? 'rtl' : 'ltr'}`, options);
    await say(page, 'Read it');
    await page.getByText(/^A long report/).waitFor();
    await say(page, 'Of what?');
    await page.getByText('Of cranes.', { exact: true }).waitFor();
    await page.getByText('The model reads a summary of the messages above').click();
    await page.getByText('They have a report.', { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });
});
