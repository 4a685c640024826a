import { expect } from 'vitest';
import { visit } from '../matrix/visit.ts';

/** Asks the chat of a page in Chromium, and expects an answer, a quiet console and the panel where it belongs. */
export async function chatAnswers(url: string, { hasPanel }: { readonly hasPanel: boolean }): Promise<void> {
  // A development server may build the page when it is first asked for it.
  await fetch(url);
  const { page, complaints, close } = await visit(url, 'textarea');
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
  await page.keyboard.press('Enter');
  const answer = page.getByRole('article', { name: 'Assistant' });
  await expect.poll(() => answer.textContent(), { timeout: 30_000 }).toMatch(/\w{2}/);
  const opener = page.getByRole('button', { name: 'Open Vitrine devtools' });
  expect(await opener.count()).toBe(hasPanel ? 1 : 0);
  if (hasPanel) {
    await opener.click();
    await page.getByRole('region', { name: 'Vitrine devtools' }).waitFor();
  }
  expect(complaints).toEqual([]);
  await close();
}
