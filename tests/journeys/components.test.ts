import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { axeFaults } from './axe-faults.ts';
import { demoJourneys } from './demo-journeys.ts';
import type { Visitor } from './visitor.ts';

const demo = demoJourneys({}, { isLive: true });
let visitor: Visitor;

/** A page of the components with an agent that asks for what is said; `messages` stand there before. */
async function open(messages: number, options: BrowserContextOptions = {}): Promise<Page> {
  visitor = await demo.visit(options);
  const { page } = visitor;
  const file = `/@fs${root}/tests/journeys/page/show-components.tsx`;
  await page.evaluate(`import(${JSON.stringify(file)}).then((it) => it.showComponents(${messages}))`);
  await page.locator('.vitrine-composer').waitFor();
  return page;
}

/** As it was painted: between a change and its frame nobody sees where the end is. */
const fromEnd = (page: Page): Promise<number> =>
  page.evaluate<number>(
    `new Promise((resolve) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.vitrine-scroller');
        resolve(Math.round(scrollHeight - scrollTop - clientHeight));
      };
      port2.postMessage(null);
    }))`,
  );
const focusedElement = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `document.activeElement.getAttribute('aria-label') ?? document.activeElement.className`,
  );

describe('an approval', () => {
  it('an approval gets the focus, is changed in a form, and runs with the changes', async () => {
    const page = await open(0);
    await visitor.say('Please mail Ann');
    const card = page.getByRole('region', { name: 'May send_mail run?' });
    await expect.poll(() => focusedElement(page)).toBe('vitrine-approval');
    await card.getByRole('button', { name: 'Edit' }).click();
    await card.getByLabel('Who gets it', { exact: true }).fill('nobody');
    await card.getByRole('button', { name: 'Approve with these changes' }).click();
    await card.getByText(/^Who gets it: /).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await card.getByLabel('Who gets it', { exact: true }).fill('bob@example.org');
    await card.getByLabel('urgency').selectOption('high');
    await card.getByLabel('tags').fill('["a", "b"]');
    await page.keyboard.press('Tab');
    await card.getByRole('button', { name: 'Approve with these changes' }).click();
    await visitor.conversation.getByText('That is done.').waitFor();
    await visitor.conversation.getByText('Sent “Friday” to bob@example.org').waitFor();
    await expect.poll(() => focusedElement(page)).toBe('Message');
  });

  it('an approval is asked for once when it was given for the session', async () => {
    const page = await open(0);
    await visitor.say('Please mail Ann');
    await page.getByRole('button', { name: 'Always for this session' }).click();
    await visitor.conversation.getByText('That is done.').waitFor();
    await visitor.say('Another mail');
    await expect.poll(() => visitor.conversation.getByText('That is done.').count()).toBe(2);
  });
});

it('a tool is answered in its own interface', async () => {
  const page = await open(0);
  await visitor.say('Which colour?');
  await page.getByRole('button', { name: 'Green' }).click();
  await visitor.conversation.getByText('It is green').waitFor();
  await visitor.conversation.getByText('That is done.').waitFor();
  // The button that was pressed is gone.
  await expect.poll(() => focusedElement(page)).toBe('Conversation');
});

it('a large result is one line, and opens to a box that scrolls', async () => {
  const page = await open(0);
  await visitor.say('Please dump');
  await visitor.conversation.getByText('That is done.').waitFor();
  const call = page.locator('.vitrine-tool-call');
  expect((await call.boundingBox())?.height).toBeLessThan(60);
  await call.locator('summary').click();
  await call.getByRole('group', { name: 'Result' }).waitFor();
  expect((await call.boundingBox())?.height).toBeLessThan(700);
  await call.getByRole('button', { name: /Show all .* characters/ }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

describe('a conversation of 1,000 messages', () => {
  it('a conversation of 1,000 messages has few of them in the page, opens at its end, and follows an answer there', async () => {
    const page = await open(1000);
    await visitor.conversation.getByText(/^Message 999/).waitFor();
    await expect.poll(() => fromEnd(page)).toBeLessThan(3);
    expect(await page.locator('.vitrine-row').count()).toBeLessThan(80);
    await visitor.say('Go on');
    await visitor.conversation.getByText('word60 ').waitFor();
    expect(await fromEnd(page)).toBeLessThan(60);
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => focusedElement(page)).toBe('Message');
    await expect.poll(() => fromEnd(page)).toBeLessThan(3);
  });

  it('a conversation does not move while a person has scrolled up a little and an answer streams', async () => {
    const page = await open(1000);
    await visitor.say('Go on');
    await visitor.conversation.getByText('word60 ').waitFor();
    await page.mouse.move(700, 300);
    await page.mouse.wheel(0, -30);
    await page.getByRole('button', { name: 'Jump to the latest message' }).waitFor();
    const top = (): Promise<number> =>
      page.evaluate<number>(`document.querySelector('.vitrine-answer').getBoundingClientRect().top`);
    await page.waitForTimeout(200);
    const before = await top();
    await visitor.conversation.getByText('word200 ').waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
    await page.getByRole('button', { name: 'Jump to the latest message' }).click();
    await expect.poll(() => fromEnd(page)).toBeLessThan(60);
  });
});

it.each([
  ['by a page', '(top) => top - 400'],
  ['by three lines', '(top) => top - 61'],
])('who jumps up at once, as with the Page keys, is not taken back: %s', async (_what, jump) => {
  const page = await open(40);
  await visitor.say('Something tall');
  await visitor.conversation.getByText('line4').first().waitFor();
  expect(await fromEnd(page)).toBeLessThan(400);
  const top = await page.evaluate<number>(
    `(() => { const it = document.querySelector('.vitrine-scroller'); it.scrollTop = (${jump})(it.scrollTop); return it.scrollTop; })()`,
  );
  await visitor.conversation.getByText('line12').first().waitFor();
  expect(await page.evaluate(`document.querySelector('.vitrine-scroller').scrollTop`)).toBe(top);
});

it('a conversation follows an answer that grows by more than a screenful of lines at once', async () => {
  const page = await open(4);
  await visitor.say('Something tall');
  for (const line of ['line3', 'line9', 'line15']) {
    await visitor.conversation.getByText(line).first().waitFor();
    await expect.poll(() => fromEnd(page), { timeout: 1000 }).toBeLessThan(3);
  }
  await page.getByRole('button', { name: 'Stop' }).click();
});

describe.each(['light', 'dark'] as const)('in %s, axe finds nothing', (colorScheme) => {
  it('the demo with an answer, a call and a list has no faults', async () => {
    visitor = await demo.visit({ colorScheme });
    const { page, conversation, say } = visitor;
    expect(await axeFaults(page)).toEqual([]);
    await say('What is 12 * (3 + 4)?');
    await conversation.getByText('The result is 84.').waitFor();
    await say('Show me some markdown');
    await conversation.getByText('A state is plain data').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    await page.locator('.vitrine-tool-call summary').click();
    expect(await axeFaults(page)).toEqual([]);
  });

  it('an approval has no faults, unchanged and while it is edited', async () => {
    const page = await open(2, { colorScheme });
    await visitor.say('Please mail Ann');
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await axeFaults(page)).toEqual([]);
  });
});
