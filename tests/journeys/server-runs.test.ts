import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';
import { type ClerkServer, clerkServer } from './page/clerk-server.ts';
import type { Visitor } from './visitor.ts';

const phoneSize = { viewport: { width: 390, height: 844 } };

// Browsers write requests that fail on the console, also where the application goes on.
const demo = demoJourneys(
  {},
  { isLive: true, expected: /^Failed to load resource: (net::|.* (50[23]|404) )/ },
);
const folder = mkdtempSync(join(tmpdir(), 'vitrine-runs-'));
let server: ClerkServer;
let sessionId = '';
beforeAll(async () => {
  server = clerkServer(folder, new URL(demo.url()).origin);
  await server.start();
});
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  sessionId = `s-${crypto.randomUUID()}`;
});

/** A browser of its own, which shows a session of Anna and shares nothing with the others but the server. */
async function device(
  options: BrowserContextOptions = {},
  { isHere = false, name = 'anna' } = {},
): Promise<Visitor> {
  const visitor = await demo.visit(options);
  await visitor.context.route('**/devices/**', (route) =>
    route
      .continue({ url: route.request().url().replace(`${demo.url()}devices`, server.url()) })
      .catch(() => route.abort()),
  );
  const file = `/@fs${root}/tests/journeys/page/show-server.tsx`;
  const headers = { authorization: `Bearer ${name}` };
  const props = JSON.stringify({ headers, sessionId, owner: 'anna', isHere });
  await visitor.page.evaluate(`import(${JSON.stringify(file)}).then((it) => it.showServer(${props}))`);
  await visitor.page.getByText(isHere ? 'Run on the server' : 'On the server', { exact: true }).waitFor();
  return visitor;
}

/** The text of the conversation without times and controls. */
const read = ({ page }: Visitor): Promise<string> =>
  page
    .locator('.vitrine-message')
    .allInnerTexts()
    .then((texts) => texts.map((text) => text.trim()).join('\n'));

describe('a person who sends the researcher to the server', { timeout: 240_000 }, () => {
  it('a person closes the laptop in mid search, and finds the report waiting on the phone and finished on a new laptop', async () => {
    const laptop = await demo.visit();
    await laptop.page.getByRole('radio', { name: /^Researcher/ }).check();
    await laptop.page.getByRole('button', { name: 'Run on the server' }).click();
    await laptop.page.getByText('On the server', { exact: true }).waitFor();
    expect(await axeFaults(laptop.page)).toEqual([]);
    await laptop.say('Research how budgets work');
    await expect.poll(() => laptop.conversation.getByText('running…').count()).toBe(2);
    const { hash } = new URL(laptop.page.url());
    await laptop.context.close();

    const phone = await demo.visit(phoneSize, hash);
    const formLoaded = phone.page.waitForEvent('requestfinished', (request) =>
      request.url().includes('zod-json-schema'),
    );
    const card = phone.page.getByRole('region', { name: 'May save_report run?' });
    await card.waitFor();
    // The form of the question loads while the person reads.
    await formLoaded;
    await phone.context.setOffline(true);
    await phone.page.getByText('Offline', { exact: true }).waitFor();
    await phone.conversation.getByText('You are offline. What you send waits for the connection.').waitFor();
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('For whom it is written').selectOption('the team');
    await card.getByRole('button', { name: 'Approve with these changes' }).click();
    await phone.page.getByText('Your answer waits for connection.').waitFor();
    expect(await axeFaults(phone.page)).toEqual([]);
    await phone.context.setOffline(false);
    await card.waitFor({ state: 'detached' });
    await phone.conversation.getByRole('region', { name: /^Report:/ }).waitFor();
    await phone.context.close();

    const other = await demo.visit({}, hash);
    const report = other.conversation.getByRole('region', { name: /^Report:/ });
    await report.getByText('for the team').waitFor();
    const panel = other.page.getByRole('region', { name: 'Vitrine devtools' });
    await panel.getByText(/^It finished after/).waitFor();
    await panel.getByText('The server runs it; this page follows.').waitFor();
    await other.page.getByRole('button', { name: 'New session', exact: true }).click();
    await report.waitFor({ state: 'detached' });
    const list = other.page.getByRole('region', { name: 'On the server' });
    await list.getByRole('button', { name: 'Research how budgets work', exact: true }).click();
    await report.waitFor();
    const thumb = other.page.getByRole('button', { name: 'Bad answer' }).last();
    await thumb.click();
    const why = other.page.getByLabel('What was wrong?');
    await why.fill('It is too short.');
    await why.press('Enter');
    await other.conversation.getByText('Thank you.').waitFor();
    await other.page.reload();
    await expect.poll(() => thumb.getAttribute('aria-pressed')).toBe('true');
    expect(await other.page.getByRole('alert').count()).toBe(0);
  });

  it('a person sends a run away that began in the page, and its question and its history are there after a reload', async () => {
    const { page, conversation, say } = await demo.visit();
    await page.getByRole('radio', { name: /^Researcher/ }).check();
    await say('Hello');
    await conversation.getByText(/You said: “Hello”/).waitFor();
    await say('Research how budgets work');
    await expect.poll(() => conversation.getByText('running…').count()).toBe(2);
    await page.getByRole('button', { name: 'Run on the server' }).click();
    await page.getByText('Sending…', { exact: true }).waitFor();
    await page.getByRole('status').getByText('On the server', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await conversation.getByRole('region', { name: /^Report:/ }).waitFor();
    await conversation.getByText(/You said: “Hello”/).waitFor();
    const entry = page.getByRole('navigation', { name: 'Sessions' }).getByRole('listitem');
    expect(await entry.first().innerText()).toMatch(/^Hello\s+On the server$/);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

describe('a person with a laptop and a phone, and a colleague', { timeout: 240_000 }, () => {
  it('all see a run live, an approval that two give at once counts once, all have the same text at the end, and the panel says who gave each command', async () => {
    const before = server.deeds().length;
    const laptop = await device();
    await laptop.say('look:a refund:b');
    await laptop.conversation.getByText('Next: look:a.').waitFor();
    // There is nothing to follow for others before its owner has begun it.
    const [phone, other] = await Promise.all([device(phoneSize), device(phoneSize, { name: 'ben' })]);
    const devices = [laptop, phone, other];
    const cards = devices.map(({ page }) => page.getByRole('region', { name: 'May refund run?' }));
    await Promise.all(cards.map((card) => card.waitFor()));
    // Both answers set out before either arrives.
    let send = (): void => undefined;
    const pressed = new Promise<void>((resolve) => (send = resolve));
    for (const { context, page } of [phone, other]) {
      await context.route(/\/devices\/.*\/commands/, (route) => pressed.then(() => route.fallback()));
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
    }
    send();
    await Promise.all(cards.map((card) => card.waitFor({ state: 'detached' })));
    for (const { conversation } of devices)
      await conversation.getByText(/^Done with .* it took a while to say so\.$/).waitFor();
    const [text, ...others] = await Promise.all(devices.map(read));
    expect(others).toEqual([text, text]);
    expect(server.deeds().slice(before)).toEqual(['refund b']);
    await other.say('look:c');
    await laptop.conversation.getByText(/^Done with look:c\. .* say so\.$/).waitFor();
    const panel = laptop.page.getByRole('region', { name: 'Vitrine devtools' });
    await panel.getByRole('tab', { name: 'Events', exact: true }).click();
    const summaries = async (type: string): Promise<readonly string[]> => {
      await panel.getByLabel('Filter events').fill(type);
      const texts = await panel.locator('.event').filter({ hasText: type }).allInnerTexts();
      return texts.map((text) => text.split('\n').at(-1) ?? '');
    };
    await expect.poll(() => summaries('execution-start')).toEqual(['by anna', 'by ben']);
    // The panel began with the stored session, which had the first message.
    await expect.poll(() => summaries('message-add')).toEqual(['user in messages, by ben']);
    await expect
      .poll(() => summaries('approval-answer'))
      .toEqual([expect.stringMatching(/approved, by (anna|ben)$/)]);
    for (const { page } of devices) {
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await axeFaults(page)).toEqual([]);
    }
  });
});

it(
  'a run that begins in a tab survives the tab, a phone that goes offline, and the process that runs it: one run without a gap, and the once tool ran once',
  { timeout: 240_000 },
  async () => {
    const before = server.deeds().length;
    const laptop = await device({}, { isHere: true });
    await laptop.say('look:a pay:b refund:c');
    await laptop.conversation.getByText('Next: look:a.').waitFor();
    await laptop.page.getByRole('button', { name: 'Run on the server' }).click();
    await expect.poll(() => server.deeds().slice(before), { timeout: 60_000 }).toEqual(['pay b begins']);
    await laptop.context.close();

    const phone = await device(phoneSize);
    const { page, conversation } = phone;
    await conversation.getByText('Next: pay:b.').waitFor();
    await phone.context.setOffline(true);
    await page.getByText('Offline', { exact: true }).waitFor();
    const offline = conversation.getByText('You are offline. What you send waits for the connection.');
    await offline.waitFor();
    expect(await conversation.getByText('Next: pay:b.').count()).toBe(1);
    await phone.say('And then?');
    await page.getByText('Waits for connection: And then?').waitFor();
    await phone.context.setOffline(false);
    await page.getByText('On the server', { exact: true }).waitFor();
    await offline.waitFor({ state: 'detached' });
    await page.getByText('Waiting: And then?').waitFor();

    const watcher = await device();
    const card = page.getByRole('region', { name: 'May refund run?' });
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('line', { exact: true }).fill('d');
    await card.getByRole('button', { name: 'Approve with these changes' }).click();
    await conversation.getByText(/^Done with/).waitFor();
    await server.kill();
    await page.getByText('Reconnecting…', { exact: true }).waitFor();
    const lost = conversation.getByText('The connection is lost and is made again.', { exact: false });
    await lost.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await server.start();
    await lost.waitFor({ state: 'detached' });
    await conversation.getByText(/^Done with look:a pay:b refund:c\. .* say so\.$/).waitFor();
    await conversation.getByText(/^Done with And then\?\. .* say so\.$/).waitFor();
    expect(server.deeds().slice(before)).toEqual(['pay b begins', 'pay b', 'refund d']);

    // A third device, whose panel was open meanwhile: one run for the message, and nothing that broke off.
    await watcher.conversation.getByText(/^Done with And then\?\. .* say so\.$/).waitFor();
    await watcher.page.getByText('On the server', { exact: true }).waitFor();
    const panel = watcher.page.getByRole('region', { name: 'Vitrine devtools' });
    await panel.getByText(/^The server runs it; this page follows\./).waitFor();
    const runs = panel.getByRole('combobox', { name: 'Run', exact: true });
    const run = runs.getByRole('option').filter({ hasText: 'look:a' });
    expect(await run.count()).toBe(1);
    await runs.selectOption(await run.getAttribute('value'));
    await panel.getByText(/^It finished after 4 steps/).waitFor();
    for (const tool of ['look', 'pay', 'refund'])
      await panel.getByText(tool, { exact: true }).first().waitFor();
    expect(await panel.getByText(/interrupted/).count()).toBe(0);
  },
);
