import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '2' });

async function openSettings(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  await dialog.waitFor();
  return dialog;
}

/** Number of keys of sessions in localStorage; a tombstone, which holds no text, is none. */
const keysOfSessions = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      Object.entries(localStorage).filter(
        ([key, text]) => key.startsWith('vitrine-demo:session') && !String(text).includes('vacant'),
      ).length,
  );

describe('a person who looks where their data is', () => {
  it('a person moves all sessions to IndexedDB and back, with their files, and continues in the open one', async () => {
    const { page, conversation, say } = await demo.visit();
    const titles = page.locator('.vitrine-session-title');
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    await page.getByRole('button', { name: 'New session', exact: true }).click();
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('some text') };
    await page.getByLabel('Files to attach').setInputFiles([file]);
    await say('What is 2 + 2?');
    await conversation.getByText('The result is 4.').waitFor();
    for (const [place, hasKeys] of [
      ['IndexedDB', false],
      ['localStorage', true],
    ] as const) {
      const dialog = await openSettings(page);
      await dialog.getByRole('radio', { name: new RegExp(place) }).check();
      await dialog.getByText('2 sessions were moved.').waitFor();
      await expect.poll(async () => (await keysOfSessions(page)) > 0).toBe(hasKeys);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await conversation.getByText('The result is 4.').waitFor();
      await page.reload();
      await conversation.getByText('The result is 4.').waitFor();
      await expect.poll(() => titles.allInnerTexts()).toEqual(['What is 2 + 2?', 'What is 1 + 1?']);
      const download = page.waitForEvent('download');
      await conversation.getByText('a.txt').click();
      expect((await download).suggestedFilename()).toBe('a.txt');
    }
    await say('What is 3 + 3?');
    await conversation.getByText('The result is 6.').waitFor();
  });

  it('a person clears everything after a question, in which Keep it is the first choice', async () => {
    const { page, conversation, say } = await demo.visit();
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    const dialog = await openSettings(page);
    await dialog.getByRole('radio', { name: 'Dark' }).check();
    await dialog.getByRole('button', { name: 'Clear everything…' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it');
    await page.keyboard.press('Enter');
    expect(await keysOfSessions(page)).toBeGreaterThan(0);
    await dialog.getByRole('button', { name: 'Clear everything…' }).click();
    await dialog.getByRole('button', { name: 'Yes, clear everything' }).click();
    await page.getByText('Sessions are kept in this browser. There are none yet.').waitFor();
    await page.getByText('What would you like to see?').waitFor();
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('vitrine-demo'))),
    ).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBeUndefined();
  });
});

describe('the look', () => {
  it('the chosen theme applies before the first paint, and has precedence over that of the system', async () => {
    const { page } = await demo.visit({ colorScheme: 'light' });
    const dialog = await openSettings(page);
    await dialog.getByRole('radio', { name: 'Dark' }).check();
    await page.keyboard.press('Escape');
    // Nothing but the page itself and the script in its head.
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url());
      return pathname === '/' || pathname === '/theme.js' ? route.continue() : new Promise(() => undefined);
    });
    await page.reload({ waitUntil: 'commit' });
    const background = (): Promise<string> =>
      page.evaluate(() => {
        const canvas = document.createElement('div');
        canvas.style.color = 'CanvasText';
        document.documentElement.append(canvas);
        return getComputedStyle(canvas).color;
      });
    await expect.poll(background).toBe('rgb(255, 255, 255)');
  });

  it.each(['light', 'dark'] as const)('the settings have no faults for axe in %s', async (colorScheme) => {
    const { page } = await demo.visit({ colorScheme });
    const dialog = await openSettings(page);
    await dialog.getByLabel('Cost in dollars').fill('1');
    await dialog.getByRole('button', { name: 'Clear everything…' }).click();
    expect(await axeFaults(page)).toEqual([]);
  });
});

describe('the panel', () => {
  it('the panel stands beside the settings, on any side, and covers nothing of them', async () => {
    const { page } = await demo.visit();
    const panel = page.getByRole('region', { name: 'Vitrine devtools' });
    for (const side of ['right', 'left', 'bottom']) {
      await panel.getByRole('button', { name: 'Menu' }).click();
      await panel.getByLabel('Dock side').selectOption(side);
      await page.getByRole('button', { name: 'Settings' }).click();
      const dialog = await page.getByRole('dialog', { name: 'Settings' }).boundingBox();
      const beside = await panel.boundingBox();
      if (dialog === null || beside === null) throw new Error('Both are there.');
      const isApart =
        side === 'right'
          ? dialog.x + dialog.width <= beside.x
          : side === 'left'
            ? dialog.x >= beside.x + beside.width
            : dialog.y + dialog.height <= beside.y;
      expect(isApart, side).toBe(true);
      await page.getByRole('button', { name: 'Close', exact: true }).click();
    }
  });

  it('the panel stands below the message box on a phone, and covers neither it nor Retry', async () => {
    const { page, say } = await demo.visit({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await say('Please simulate an error');
    await page.getByRole('button', { name: 'Panel' }).tap();
    const panel = page.getByRole('region', { name: 'Vitrine devtools' });
    await panel.waitFor();
    const { y: top = 0, height = 0 } = (await panel.boundingBox()) ?? {};
    expect([top > 300, height > 300]).toEqual([true, true]);
    for (const reached of [
      page.getByLabel('Message', { exact: true }),
      page.getByRole('button', { name: 'Retry' }),
    ]) {
      const box = await reached.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(top);
    }
    await page.getByRole('button', { name: 'Retry' }).tap();
    await page.getByText('This time it worked').first().waitFor();
    await page.getByRole('button', { name: 'Panel' }).tap();
    await panel.waitFor({ state: 'detached' });
  });

  it.each([760, 900, 1099])('the panel leaves room for the chat at %i pixels', async (width) => {
    const { page } = await demo.visit({ viewport: { width, height: 800 } });
    await page.getByRole('button', { name: 'Open Vitrine devtools' }).click();
    const panel = page.getByRole('region', { name: 'Vitrine devtools' });
    await panel.waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await expect.poll(async () => (await field.boundingBox())?.width).toBeGreaterThan(200);
    const box = await field.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((await panel.boundingBox())?.y ?? 0);
  });
});
