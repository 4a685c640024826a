import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectSound, pageJourneys } from '../../journeys/page-journeys.ts';
import { say } from '../../journeys/visitor.ts';

// Interfaces of A2UI that a model describes, drawn by the packages of the protocol.

const { open } = pageJourneys('peers/a2ui-page');

/** Says something; the model writes so many characters of its answer for now. */
async function ask(page: Page, text: string, characters = 1e6): Promise<void> {
  await page.evaluate((count) => write(count), characters);
  await say(page, text);
}

it.each([
  [390, 'light'],
  [1440, 'dark'],
  [1440, 'light'],
] as const)(
  'a surface grows while its arguments stream, takes one action once, and is there after a reload: %i, %s',
  async (width, scheme) => {
    const page = await open('', { viewport: { width, height: 844 }, colorScheme: scheme });
    await ask(page, 'Show the table', 640);
    await page.getByText('A table for two').waitFor();
    expect(await page.getByRole('button', { name: 'Book it' }).count()).toBe(0);
    await page.evaluate(() => write(1e6));
    await page.getByText('There it is.', { exact: true }).waitFor();
    const name = page.getByRole('textbox', { name: 'Your name' });
    expect(await name.inputValue()).toBe('Ann');
    await page.getByText('Dumplings', { exact: true }).waitFor();
    await expectSound(page, `a2ui-whole-${width}-${scheme}`);
    await name.fill('Bea');
    await page.getByRole('button', { name: 'Book it' }).dblclick();
    await page.getByText('Booked.', { exact: true }).waitFor();
    const sent = page.locator('.vitrine-user').filter({ hasText: 'book' });
    expect(await sent.count()).toBe(1);
    expect(await page.evaluate('told')).toContain('Bea');
    await page.reload();
    await page.getByText('Booked.', { exact: true }).waitFor();
    await page.getByText('Dumplings', { exact: true }).waitFor();
    expect(await sent.count()).toBe(1);
  },
);

it('an action answers a call that waits for it, once, and a reload before it does no harm', async () => {
  const page = await open();
  await ask(page, 'Show the table and wait');
  const book = page.getByRole('button', { name: 'Book it' });
  await book.click({ trial: true });
  await page.reload();
  await page.getByRole('textbox', { name: 'Your name' }).fill('Cem');
  await book.dblclick();
  await page.getByText('There it is.', { exact: true }).waitFor();
  const told = JSON.parse(await page.evaluate(() => globalThis.told)) as readonly {
    readonly output?: unknown;
  }[];
  expect(told.map(({ output }) => output)).toMatchObject([
    {
      name: 'book',
      surfaceId: 'table',
      context: { name: 'Cem', data: { outside: false } },
    },
  ]);
  expect(await page.locator('.vitrine-user').count()).toBe(1);
});

it('an interface that cannot be shown is a sentence, and the model is told', async () => {
  const page = await open('', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await ask(page, 'Show the broken one');
  await page.getByText(/^This interface cannot be shown: .*Rocket/).waitFor();
  expect(await page.evaluate('told')).toContain('which the catalog does not have');
  await expectSound(page, 'a2ui-broken-390-dark');
});
