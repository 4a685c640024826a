import { expect } from 'vitest';
import { visit } from '../matrix/visit.ts';

type Expected = {
  readonly hasPanel: boolean;
  /** The name of the message box. */
  readonly box?: string;
  /** The name of the button that sends; null for a chat that has none. */
  readonly send?: string | null;
  /** A selector of the answer. */
  readonly answer?: string;
  /** True for a page that shows the conversation again after a reload. */
  readonly isKept?: boolean;
};

/**
 * Asks the chat of a page in Chromium, as wide as a phone, and expects an answer, a quiet console and the panel where it
 * belongs: its button is there, and covers no button of the chat.
 */
export async function chatAnswers(url: string, expected: Expected): Promise<void> {
  const { hasPanel, box = 'Message', send = 'Send', isKept = false } = expected;
  const { answer = 'role=article[name="Assistant"]' } = expected;
  // A development server may build the page when it is first asked for it.
  await fetch(url);
  const { page, complaints, close } = await visit(url, 'textarea:visible, input:visible');
  await page.setViewportSize({ width: 390, height: 844 });
  const opener = page.getByRole('button', { name: 'Open Vitrine devtools' });
  if (hasPanel) await opener.waitFor();
  await page.getByRole('textbox', { name: box }).fill('Hello');
  if (send === null) await page.keyboard.press('Enter');
  else await page.getByRole('button', { name: send, exact: true }).click();
  await expect.poll(() => page.locator(answer).textContent(), { timeout: 30_000 }).toMatch(/\w{3}/);
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
