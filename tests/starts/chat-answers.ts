import { expect } from 'vitest';
import { visit } from '../matrix/visit.ts';

type Expected = {
  readonly hasPanel: boolean;
  /** The name of the message box. */
  readonly box?: string;
  /** A selector of the answer. */
  readonly answer?: string;
  /** True for a page that shows the conversation again after a reload. */
  readonly isKept?: boolean;
};

/** Asks the chat of a page in Chromium, and expects an answer, a quiet console and the panel where it belongs. */
export async function chatAnswers(
  url: string,
  { hasPanel, box = 'Message', answer = 'role=article[name="Assistant"]', isKept = false }: Expected,
): Promise<void> {
  // A development server may build the page when it is first asked for it.
  await fetch(url);
  const { page, complaints, close } = await visit(url, 'textarea:visible, input:visible');
  await page.getByRole('textbox', { name: box }).fill('Hello');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator(answer).textContent(), { timeout: 30_000 }).toMatch(/\w{3}/);
  const opener = page.getByRole('button', { name: 'Open Vitrine devtools' });
  expect(await opener.count()).toBe(hasPanel ? 1 : 0);
  if (hasPanel) {
    await opener.click();
    await page.getByRole('region', { name: 'Vitrine devtools' }).waitFor();
  }
  if (isKept) {
    // A browser does not wait for the write of a leaving page, so the last two seconds of an answer in progress may be
    // missing after a reload. What has ended is there.
    let text = '';
    for (
      let now = await page.locator(answer).textContent();
      now !== text;
      now = await page.locator(answer).textContent()
    ) {
      text = now ?? '';
      await page.waitForTimeout(2_000);
    }
    await page.reload();
    await expect.poll(() => page.locator(answer).textContent(), { timeout: 30_000 }).toContain(text);
  }
  expect(complaints).toEqual([]);
  await close();
}
