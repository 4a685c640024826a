import { expect, it } from 'vitest';
import { expectSound, pageJourneys } from './page-journeys.ts';
import { say } from './visitor.ts';

// The application of examples/artifacts, with a model that follows a script.

const { open } = pageJourneys('journeys/artifact-page', {
  // The browser tells what a page of the model may not do.
  expected: /Content Security Policy/,
});

it.each([
  [390, 'light', 'rtl'],
  [1440, 'dark', 'ltr'],
] as const)(
  'a person edits an artifact, compares and restores its versions, also after a reload: %i, %s, %s',
  async (width, scheme, dir) => {
    const page = await open(`?dir=${dir}`, { viewport: { width, height: 844 }, colorScheme: scheme });
    const panel = page.getByRole('complementary', { name: 'Artifacts' });
    const shot = (name: string): string => `artifacts-${name}-${width}-${scheme}-${dir}`;
    await say(page, 'A plan');
    await panel.getByText('Paint the hall').waitFor();
    await say(page, 'A plan again');
    await panel.getByText('Version 2 of 2').waitFor();
    await panel.getByRole('button', { name: 'Changes' }).click();
    expect(await panel.locator('del, ins').allTextContents()).toEqual([
      'Buy paint\n',
      'Buy paint and brushes\n',
    ]);
    await expectSound(page, shot('changes'));
    await panel.getByRole('button', { name: 'Edit' }).click();
    await panel.getByRole('textbox', { name: 'Text of Plan' }).fill('Rest on Sunday');
    await expectSound(page, shot('edit'));
    await panel.getByRole('button', { name: 'Save as a new version' }).click();
    await panel.getByText('Version 3 of 3, by you').waitFor();
    await say(page, 'What did I write?');
    await page.getByText('A rest.', { exact: true }).waitFor();
    await page.reload();
    await panel.getByText('Version 3 of 3, by you').waitFor();
    await panel.getByRole('button', { name: 'Older' }).click();
    await panel.getByRole('button', { name: 'Older' }).click();
    await panel.getByRole('button', { name: 'Use this version' }).click();
    await panel.getByText('Version 4 of 4, by you').waitFor();
    expect(await panel.getByRole('region', { name: 'Plan' }).textContent()).toBe(
      'Buy paint\nPaint the hall\n',
    );
  },
);

it('a page of the model runs in its frame, and reaches neither the page around it nor a network', async () => {
  const page = await open();
  const panel = page.getByRole('complementary', { name: 'Artifacts' });
  await say(page, 'A plan');
  await panel.getByRole('region', { name: 'Plan' }).waitFor();
  await say(page, 'A page');
  const frame = page.frameLocator('iframe[title="Menu"]');
  await frame.getByText('Reached nothing', { exact: true }).waitFor();
  await panel.getByRole('button', { name: 'Source' }).click();
  await panel.getByText('<h1>Menu</h1>').waitFor();
  await panel.getByRole('combobox', { name: 'Artifact' }).selectOption('Plan');
  await panel.getByRole('region', { name: 'Plan' }).waitFor();
  await expectSound(page, 'artifacts-page');
});
