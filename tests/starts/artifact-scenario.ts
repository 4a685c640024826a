import { expect } from 'vitest';
import { axeFaults } from '../journeys/axe-faults.ts';
import { visit } from '../matrix/visit.ts';

/** Has the model of the test write an artifact twice, and compares its versions. */
export async function expectArtifacts(url: string): Promise<void> {
  await fetch(url);
  const { page, complaints, close } = await visit(url, 'textarea:visible');
  const panel = page.getByRole('complementary', { name: 'Artifacts' });
  for (const [text, version] of [
    ['An artifact', '1 of 1'],
    ['The artifact again', '2 of 2'],
  ] as const) {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
    await panel.getByText(`Version ${version}`).waitFor({ timeout: 120_000 });
    await page.getByText('Hello there').last().waitFor();
  }
  await panel.getByRole('button', { name: 'Changes' }).click();
  expect(await panel.locator('del, ins').allTextContents()).toEqual(['An artifact', 'The artifact again']);
  expect(await axeFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
}
