import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '2' });
let visitor: Visitor;

const list = (): Locator => visitor.page.getByRole('navigation', { name: 'Sessions' });
const titles = (): Promise<string[]> => list().locator('.vitrine-session-title').allInnerTexts();

/** Asks two things, each in a session of its own. */
async function talk(): Promise<void> {
  const { page, conversation, say } = visitor;
  await say('What is 1 + 1?');
  await conversation.getByText('The result is 2.').waitFor();
  await list().getByRole('button', { name: 'New session' }).click();
  await conversation.getByText('The result is 2.').waitFor({ state: 'detached' });
  await say('What is 4 + 4?');
  await conversation.getByText('The result is 8.').waitFor();
  await expect.poll(titles).toEqual(['What is 4 + 4?', 'What is 1 + 1?']);
  await page.getByRole('heading', { name: 'Today' }).waitFor();
}

describe('a person with several sessions', () => {
  it('a person deletes a session by keyboard and restores it, in another tab as well; after 10 seconds it is gone', async () => {
    visitor = await demo.visit();
    const { page, context, conversation } = visitor;
    await talk();
    const address = page.url();
    const other = await context.newPage();
    await other.goto(address);
    await other.getByText('The result is 8.').waitFor();
    await list().getByRole('button', { name: 'Delete What is 4 + 4?' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['What is 1 + 1?']);
    await conversation.getByText('The result is 8.').waitFor({ state: 'detached' });
    const elsewhere = other.getByRole('navigation', { name: 'Sessions' }).locator('.vitrine-session-title');
    await expect.poll(() => elsewhere.allInnerTexts()).toEqual(['What is 1 + 1?']);
    const note = other.getByText('This session was deleted.');
    await note.waitFor();
    const field = other.getByLabel('Message', { exact: true });
    await field.fill('Is anybody there?');
    await field.press('Enter');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent), { timeout: 5_000 })
      .toBe('Undo');
    await page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['What is 4 + 4?', 'What is 1 + 1?']);
    await conversation.getByText('The result is 8.').waitFor();
    expect(page.url()).toBe(address);
    await expect.poll(() => elsewhere.allInnerTexts()).toEqual(['What is 4 + 4?', 'What is 1 + 1?']);
    await note.waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('Is anybody there?');
    await other.close();

    await list().getByText('What is 4 + 4?').hover();
    await list().getByRole('button', { name: 'Delete What is 4 + 4?' }).click();
    await page.getByText('Deleted “What is 4 + 4?”').waitFor();
    // A tombstone stays, which holds no text.
    const stored = (): Promise<number> =>
      page.evaluate(
        (id) =>
          Object.entries(localStorage).filter(
            ([key, text]) => key.includes(id) && !String(text).includes('vacant'),
          ).length,
        address.split('#')[1] ?? '',
      );
    expect(await stored()).toBeGreaterThan(0);
    await expect.poll(stored, { timeout: 20_000 }).toBe(0);
    await page.getByText('Deleted “').waitFor({ state: 'detached' });
    expect(await titles()).toEqual(['What is 1 + 1?']);
  });

  it('a person sees the tokens of all runs together, also after a reload', async () => {
    visitor = await demo.visit();
    const { page, conversation, say } = visitor;
    const tokens = async (): Promise<number> =>
      Number.parseInt((await page.locator('.usage').innerText()).replaceAll(',', ''), 10);
    await say('What is 12 * (3 + 4)?');
    await conversation.getByText('The result is 84.').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    const first = await tokens();
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    await expect.poll(tokens).toBeGreaterThan(first * 1.5);
    const all = await tokens();
    await page.reload();
    await expect.poll(tokens).toBe(all);
  });

  it('a person finds a session by an answer in it, and renames it', async () => {
    visitor = await demo.visit();
    await talk();
    await list().getByLabel('Search sessions').fill('RESULT IS **2');
    await expect.poll(titles).toEqual(['What is 1 + 1?']);
    await list().getByText('What is 1 + 1?').hover();
    await list().getByRole('button', { name: 'Rename What is 1 + 1?' }).click();
    await list().getByLabel('Title of the session').fill('Sums');
    await visitor.page.keyboard.press('Enter');
    await expect.poll(titles).toEqual(['Sums']);
    await list().getByLabel('Search sessions').fill('nothing like it');
    await list().getByText('Nothing was found.').waitFor();
    await list().getByLabel('Search sessions').fill('');
    await expect.poll(titles).toEqual(['What is 4 + 4?', 'Sums']);
  });

  it('a person drops an export of ChatGPT on the list, sees its sessions with their branches, and what was left out', async () => {
    visitor = await demo.visit();
    const { page, conversation } = visitor;
    const said = (role: string, parent: string, parts: readonly unknown[]): object => ({
      parent,
      message: {
        author: { role },
        create_time: 1_750_000_000.25,
        content: { content_type: 'multimodal_text', parts },
      },
    });
    const image = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-1' };
    const talked = (title: string, mapping: object): object => ({
      title,
      create_time: 1_750_000_000,
      update_time: 1_750_000_100,
      current_node: 'a2',
      mapping: { root: { message: null, parent: null, children: ['q'] }, ...mapping },
    });
    const file = JSON.stringify([
      talked('Trip to Bern', {
        q: { ...said('user', 'root', ['What is worth a visit?', image]), children: ['a1', 'a2'] },
        a1: said('assistant', 'q', ['The old town.']),
        a2: said('assistant', 'q', ['The bear park.']),
      }),
      talked('Names for a cat', {
        q: said('user', 'root', ['A name for a cat?']),
        a2: said('assistant', 'q', ['Mimi.']),
      }),
    ]);
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'conversations.json', { type: 'application/json' }));
      return data;
    }, file);
    await list().dispatchEvent('dragover', { dataTransfer: transfer });
    await list().dispatchEvent('drop', { dataTransfer: transfer });
    await list().getByText('2 sessions were imported.').waitFor();
    await expect.poll(async () => (await titles()).toSorted()).toEqual(['Names for a cat', 'Trip to Bern']);
    await list().getByText('1 part was left out').click();
    await list().getByText('image_asset_pointer').waitFor();
    // The message box did not take the file.
    expect(await page.getByText('conversations.json').count()).toBe(0);
    await list().getByText('Trip to Bern').click();
    await conversation.getByText('The bear park.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Previous answer' }).click();
    await conversation.getByText('The old town.').waitFor();
  });

  it('a person exports a session into a file and imports it again, and is told of an invalid file', async () => {
    visitor = await demo.visit({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      acceptDownloads: true,
    });
    const { page, conversation, say } = visitor;
    await say('What is 1 + 1?');
    await conversation.getByText('The result is 2.').waitFor();
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    const download = page.waitForEvent('download');
    await list().getByRole('button', { name: 'Export What is 1 + 1?' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('What-is-1-1-.json');
    const buffer = readFileSync(await file.path());
    expect(JSON.parse(buffer.toString())).toMatchObject({
      $schema: 'vitrine/session',
      title: 'What is 1 + 1?',
    });
    const before = page.url();
    const field = page.getByLabel('File of a session');
    await field.setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer });
    await page.waitForURL((url) => url.href !== before);
    await conversation.getByText('The result is 2.').waitFor();
    await say('What is 2 + 2?');
    await conversation.getByText('The result is 4.').waitFor();
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    await expect.poll(titles).toEqual(['What is 1 + 1?', 'What is 1 + 1?']);
    await field.setInputFiles({ name: 'b.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await list().getByText('This file is not an exported session').waitFor();
    const edges = await list()
      .locator('button, input')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(Math.max(...edges)).toBeLessThanOrEqual(390);
    // The list closes when the session that is shown is deleted: the offer to take that back does not go with it.
    await list()
      .getByRole('button', { name: /^Delete/ })
      .first()
      .tap();
    await list().waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).tap();
    await conversation.getByText('The result is 4.').waitFor();
  });
});

describe('a person who tidies up the sessions on the server', { timeout: 240_000 }, () => {
  it.each([
    ['laptop', {}],
    ['phone', { viewport: { width: 390, height: 844 } }],
  ])(
    'a person deletes the open one on a %s, takes that back, and deletes it for good',
    async (device, size) => {
      visitor = await demo.visit(size);
      const { page, conversation, say } = visitor;
      const openList = async (): Promise<void> => {
        if (device === 'phone') await page.getByRole('button', { name: 'Sessions', exact: true }).click();
      };
      await page.getByRole('radio', { name: /^Researcher/ }).check();
      await page.getByRole('button', { name: 'Run on the server' }).click();
      await page.getByRole('status').getByText('On the server', { exact: true }).waitFor();
      await say('Hello from me');
      const answer = conversation.getByText(/You said: “Hello from me”/);
      await answer.waitFor();
      await openList();
      const onServer = page.getByRole('region', { name: 'On the server' });
      const remove = async (): Promise<void> => {
        await onServer.getByText('Hello from me').hover();
        await onServer.getByRole('button', { name: 'Delete Hello from me' }).click();
      };
      await remove();
      const note = page.getByText('This session was deleted.');
      await note.waitFor();
      await page.getByText('Deleted “Hello from me”').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await note.waitFor({ state: 'detached' });
      await answer.waitFor();
      await remove();
      await page.getByText('Deleted “').waitFor();
      // It is left when it cannot come back any more.
      await answer.waitFor({ state: 'detached', timeout: 20_000 });
      await openList();
      await onServer.waitFor({ state: 'detached' });
    },
  );
});
