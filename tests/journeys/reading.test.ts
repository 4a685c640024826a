import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../upstream/upstream.ts';
import { demoJourneys } from './demo-journeys.ts';
import { streamOf } from './stream-of.ts';

let upstream: Upstream;
const demo = demoJourneys(async () => {
  upstream = await startUpstream();
  return { OPENAI_COMPATIBLE_BASE_URL: upstream.url, VITRINE_MODELS: 'openai-compatible:llama3.3' };
});
afterAll(() => upstream.close());

const style = (locator: Locator, name: string): Promise<string> =>
  locator.first().evaluate((element, key) => window.getComputedStyle(element).getPropertyValue(key), name);
const focusedElement = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `document.activeElement.getAttribute('aria-label') ?? (document.activeElement.textContent || document.activeElement.tagName)`,
  );

it('what is written from right to left is shown so, and code beside it is not', async () => {
  upstream.behave = streamOf('שלום עולם\n\n```js\nlet a;\n```\n');
  const { conversation, say } = await demo.visit();
  await say('שלום');
  await conversation.locator('.hljs-keyword').waitFor();
  expect(await style(conversation.locator('.vitrine-user p'), 'direction')).toBe('rtl');
  expect(await style(conversation.locator('.vitrine-markdown > p'), 'direction')).toBe('rtl');
  expect(await style(conversation.locator('.vitrine-code pre'), 'direction')).toBe('ltr');
});

it('a wide table scrolls in its own box, by keyboard too, and breaks no words', async () => {
  const cells = Array.from({ length: 12 }, (_, at) => `incomprehensibilities${at}`);
  upstream.behave = streamOf(
    `| ${cells.join(' | ')} |\n${'|-'.repeat(12)}|\n| ${cells.join(' | ')} |\n\nThe end.`,
  );
  const { page, conversation, say } = await demo.visit({ viewport: { width: 390, height: 844 } });
  await say('A table, please');
  await conversation.getByText('The end.').waitFor();
  const box = conversation.getByRole('group', { name: 'Table' });
  await box.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => box.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  expect((await box.locator('tr').first().boundingBox())?.height).toBeLessThan(50);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

it('a formula is drawn by the browser itself, under the policy of the page, and what is none stays text', async () => {
  upstream.behave = streamOf(
    'The area is $$\\int_0^1 x^2\\,dx$$, so:\n\n$$\n\\sum_{n=1}^{\\infty} \\frac{1}{n^2} = \\color{red}\\frac{\\pi^2}{6}\n$$\n\nand $$\\frac{1}{$$ costs $5.\n\n' +
      `$$\n${Array.from({ length: 40 }, (_, at) => `x_{${at}}`).join(' + ')}\n$$\n\nThe end.`,
  );
  const { page, conversation, say } = await demo.visit({ viewport: { width: 390, height: 844 } });
  await say('A formula, please');
  await conversation.getByText('The end.').waitFor();
  await expect.poll(() => conversation.locator('math').count()).toBe(3);
  expect((await conversation.locator('mfrac').first().boundingBox())?.height).toBeGreaterThan(20);
  await conversation.locator('code', { hasText: '\\frac{1}{' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

it('what can be done with an older message is seen by who comes to it, with the mouse or the keyboard', async () => {
  upstream.behave = streamOf('An answer.');
  const { page, conversation, say } = await demo.visit();
  await say('Hi');
  await conversation.getByText('An answer.').waitFor();
  const edit = conversation.getByRole('button', { name: /^Edit/ });
  const again = conversation.getByRole('button', { name: 'Answer again' });
  await page.mouse.move(0, 0);
  expect(await style(again, 'opacity')).toBe('1');
  expect(await style(edit, 'opacity')).toBe('0');
  await conversation.getByText('Hi').hover();
  expect(await style(edit, 'opacity')).toBe('1');
  await page.mouse.move(0, 0);
  expect(await style(edit, 'opacity')).toBe('0');
  await edit.focus();
  expect(await style(edit, 'opacity')).toBe('1');
});

it('the bar has room for the button of the panel while there is one', async () => {
  const { page } = await demo.visit();
  const bar = page.locator('.vitrine-bar');
  expect(await style(bar, 'padding-right')).toBe('16px');
  await page.getByRole('button', { name: 'Close devtools' }).click();
  await expect.poll(() => style(bar, 'padding-right')).toBe('62px');
});

describe('who looks at it in forced colours, or wants nothing to move', () => {
  it('a person with forced colours sees everything that otherwise only a background shows', async () => {
    upstream.behave = streamOf('One.\n\n```js\nlet a;\n```\n');
    const { page, conversation, say } = await demo.visit();
    await say('Hi');
    await conversation.locator('.hljs-keyword').waitFor();
    const bubble = conversation.locator('.vitrine-user');
    expect(await style(bubble, 'border-top-width')).toBe('0px');
    await page.emulateMedia({ forcedColors: 'active' });
    for (const part of [
      bubble,
      page.getByRole('button', { name: 'Send' }),
      conversation.locator('.vitrine-code'),
    ])
      expect(await style(part, 'border-top-width')).not.toBe('0px');
    const colour = await style(conversation.locator('.vitrine-code code'), 'color');
    expect(await style(conversation.locator('.hljs-keyword'), 'color')).toBe(colour);
  });

  it('a person with reduced motion sees an answer arrive without a pulse', async () => {
    upstream.behave = { kind: 'hang' };
    const { page, conversation, say } = await demo.visit();
    await say('Hi');
    const busy = conversation.locator('.vitrine-busy');
    await busy.waitFor();
    expect(await style(busy, 'animation-name')).toBe('vitrine-pulse');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await style(busy, 'animation-name')).toBe('none');
    await page.getByRole('button', { name: 'Stop' }).click();
  });
});

describe('the focus', () => {
  it('the focus is not lost after an example, after New session, and after a deletion that Escape dismisses', async () => {
    upstream.behave = streamOf('An answer.');
    const { page, conversation } = await demo.visit();
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await page.getByRole('button', { name: 'What is 12 * (3 + 4)?' }).focus();
    await page.keyboard.press('Enter');
    await conversation.getByText('An answer.').waitFor();
    expect(await focusedElement(page)).toBe('Conversation');
    await list.getByText('What is 12 * (3 + 4)?').waitFor();
    await list.getByRole('button', { name: 'New session' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('What would you like to see?').waitFor();
    expect(await focusedElement(page)).toBe(' New session');
    await list.getByRole('button', { name: /^Delete/ }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focusedElement(page)).toBe('Undo');
    await page.keyboard.press('Escape');
    await page.getByText('Deleted “').waitFor({ state: 'detached' });
    await expect.poll(() => focusedElement(page)).toBe(' New session');
    expect(await list.getByText('What is 12 * (3 + 4)?').count()).toBe(0);
  });
});
