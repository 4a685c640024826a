import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '4' });

/** A page with an answer that has code in it, once that has its colours. */
async function withCode(options: BrowserContextOptions = {}): Promise<Page> {
  const { page, conversation, say } = await demo.visit(options);
  await say('Show me some markdown');
  await conversation.locator('.hljs-keyword').first().waitFor();
  await conversation.getByText('it can be saved, shown, compared and replayed').waitFor();
  return page;
}

it('code says its language, and is copied as it is', async () => {
  const page = await withCode({ permissions: ['clipboard-read', 'clipboard-write'] });
  const code = page.locator('.vitrine-code');
  expect(await code.locator('.vitrine-code-info').innerText()).toBe('ts');
  await code.getByRole('button', { name: 'Copy code' }).click();
  await code.getByText('Copied.').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(await code.locator('pre').innerText());
  expect(copied).toMatch(/^const state = await loop\.execute\(.*\n.*completed/);
});

it('a clipboard that refuses is said to do so', async () => {
  const page = await withCode();
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
  await page.getByRole('button', { name: 'Copy code' }).click();
  await page.getByText('Copying is not allowed here; select the text instead.').waitFor();
});

it.each(['light', 'dark'] as const)('its words have colours of their own: %s', async (colorScheme) => {
  const page = await withCode({ colorScheme });
  const colours = await page
    .locator('.hljs-keyword, .hljs-title, .hljs-string, .hljs-comment, .vitrine-code code')
    .evaluateAll((all) => all.map((one) => window.getComputedStyle(one).color));
  expect(new Set(colours).size).toBe(5);
  expect(await axeFaults(page)).toEqual([]);
});

it('long lines of code scroll in their box, by keyboard too, and the page stays as wide as it is', async () => {
  const page = await withCode({ viewport: { width: 390, height: 844 } });
  const pre = page.locator('.vitrine-code pre');
  await pre.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => pre.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});
