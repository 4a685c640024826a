import { fileURLToPath } from 'node:url';
import { chromium, type Locator, type Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { axeFaults } from './axe-faults.ts';
import { pageJourneys } from './page-journeys.ts';
import { say } from './visitor.ts';

const { url, open } = pageJourneys('journeys/chat-page', { viewport: { width: 1000, height: 800 } });

const sizes = [390, 820, 1440] as const;

/** Asks for an answer with all kinds of Markdown, and for a call that waits. */
async function chatWith(page: Page): Promise<void> {
  await say(page, 'A plan, please');
  await page.locator('.hljs-keyword').first().waitFor();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  await say(page, 'Please book it');
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
}

describe.each(['light', 'dark'] as const)('a chat in %s', (colorScheme) => {
  it.each(sizes)(
    'a chat of %i pixels fills the window, has no faults, and scrolls only inside',
    async (width) => {
      const page = await open('?store', { colorScheme, viewport: { width, height: 800 } });
      expect(await axeFaults(page)).toEqual([]);
      await chatWith(page);
      expect(await axeFaults(page)).toEqual([]);
      const box = await page.locator('.vitrine-chat').boundingBox();
      expect(box).toEqual({ x: 0, y: 0, width, height: 800 });
      const sideways = await page.evaluate<string[]>(
        `[document.documentElement, ...document.querySelectorAll('.vitrine-main, .vitrine-scroller, .vitrine-foot')]
        .filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.className)`,
      );
      expect(sideways).toEqual([]);
      const field = await page.locator('.vitrine-composer').boundingBox();
      expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(800);
    },
  );
});

describe.each(['light', 'dark'] as const)('tokens and money below the message box in %s', (colorScheme) => {
  it.each([390, 1440])('a person of %i pixels reads the line and opens its details', async (width) => {
    const page = await open('?store&usage', { colorScheme, viewport: { width, height: 844 } });
    expect(await page.locator('.vitrine-usage').count()).toBe(0);
    await say(page, 'Read it, please');
    const line = page.getByText('18.5k of 200k · $0.04 · cached 67%');
    await line.waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await line.click();
    const details = page.getByRole('region', { name: 'Tokens and cost' });
    await details
      .getByText('All together they cost 46% of their price without one.', { exact: false })
      .waitFor();
    await details.getByRole('row', { name: 'claude-sonnet-5 18,000 480 160 67% $0.04' }).waitFor();
    expect(await details.getByRole('progressbar').count()).toBe(3);
    expect(await axeFaults(page)).toEqual([]);
    const sideways = await page.evaluate<number>(
      `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
    );
    expect(sideways).toBe(0);
    const shots = process.env['SHOTS'];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/usage-${colorScheme}-${width}.png` });
    await page.keyboard.press('Enter');
    await details.waitFor({ state: 'hidden' });
  });
});

it.each(sizes)(
  'a chat of %i pixels with visible scrollbars has one axis for messages and message box, and a list that does not scroll sideways',
  async (width) => {
    const other = await chromium.launch({ ...launchOptions(), ignoreDefaultArgs: ['--hide-scrollbars'] });
    onTestFinished(() => other.close());
    const page = await other.newPage({ viewport: { width, height: 500 } });
    await page.goto(`${url()}?store`);
    await chatWith(page);
    const seen = await page.evaluate<{ axes: number[]; sideways: number; hasScrollbar: boolean }>(`(() => {
      const scroller = document.querySelector('.vitrine-scroller');
      const list = document.querySelector('.vitrine-sessions');
      const box = (it) => document.querySelector(it).getBoundingClientRect();
      const [text, field] = [box('.vitrine-row'), box('.vitrine-composer-row')];
      return {
        axes: [text.left - field.left, text.right - field.right],
        sideways: list.scrollWidth - list.clientWidth,
        hasScrollbar: scroller.offsetWidth > scroller.clientWidth && scroller.scrollHeight > scroller.clientHeight,
      };
    })()`);
    expect(seen).toEqual({ axes: [0, 0], sideways: 0, hasScrollbar: true });
  },
);

it.each(sizes)(
  'the button of the panel covers no button of a chat of %i pixels, before and after an answer',
  async (width) => {
    const page = await open('?store&panel', { viewport: { width, height: 844 } });
    const opener = page.getByRole('button', { name: 'Open Vitrine devtools' });
    await opener.waitFor();
    await page.getByLabel('Message', { exact: true }).fill('A plan, please');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('A long one\n\n\n\nplease');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await opener.click();
    await page.getByRole('region', { name: 'Vitrine devtools' }).waitFor();
  },
);

it('a complete answer is announced as text, without the marks of Markdown', async () => {
  const page = await open('?store');
  await say(page, 'A plan, please');
  const spoken =
    'Answer: A plan. A table for two, as book_table does it: Ask for the number of guests. Wait for an answer. It may take a minute. const table = await book({ guests: 2 }); Day, Seats. Friday, 4. See the restaurant.';
  await page
    .getByRole('status')
    .filter({ hasText: /^Answer: / })
    .waitFor({ state: 'attached' });
  expect(
    await page
      .getByRole('status')
      .filter({ hasText: /^Answer: / })
      .textContent(),
  ).toBe(spoken);
});

/** The computed styles of all elements of the chat, by their path. */
const stylesOf = `(() => {
  // Of the whole page, for the application to choose; and of borders without a width.
  const free = /^(color-scheme|font-synthesis|text-rendering|-webkit-font-smoothing|.*perspective-origin|.*transform-origin|border-.*-(style|color)$)/;
  const found = {};
  const pathOf = (it) => it.closest('.vitrine-chat') === it ? 'chat' : pathOf(it.parentElement) + ' > ' + it.tagName.toLowerCase() + '.' + (it.getAttribute('class') ?? '') + '#' + [...it.parentElement.children].indexOf(it);
  for (const element of document.querySelectorAll('.vitrine-chat, .vitrine-chat *')) {
    if (element.hidden) continue;
    for (const pseudo of [null, '::before', '::placeholder']) {
      const style = getComputedStyle(element, pseudo);
      if (pseudo === '::before' && style.content === 'none') continue;
      if (pseudo === '::placeholder' && !element.placeholder) continue;
      for (const name of style) if (!free.test(name)) found[pathOf(element) + (pseudo ?? '') + ' ' + name] = style.getPropertyValue(name);
    }
  }
  return found;
})()`;

type Look = Readonly<Record<string, string>>;
let looksAlone: Look | null = null;

async function lookOf(query: string): Promise<Look> {
  const page = await open(`?${query}`);
  await chatWith(page);
  await page.mouse.move(0, 0);
  // Colours that change with the pointer have a transition.
  await page.waitForTimeout(300);
  return page.evaluate<Look>(stylesOf);
}

describe('a chat in an application with styles of its own', () => {
  it.each(
    ['vite', 'old', 'reset', 'layered'].flatMap((styles) => [
      [styles, ''],
      [styles, '&late'],
    ]),
  )('a chat looks as it does alone: %s%s', async (styles, late) => {
    const alone = (looksAlone ??= await lookOf(''));
    const within = await lookOf(`styles=${styles}${late}`);
    const differing = Object.keys({ ...alone, ...within }).filter((key) => alone[key] !== within[key]);
    expect(differing.map((key) => `${key}: ${alone[key]} -> ${within[key]}`)).toEqual([]);
  });
});

it('the list of a narrow chat opens as a drawer, takes the focus, and gives it back on Escape', async () => {
  const page = await open('?store', { viewport: { width: 390, height: 800 } });
  const menu = page.getByRole('button', { name: 'Sessions', exact: true });
  const focused = (): Promise<string> =>
    page.evaluate<string>(
      `document.activeElement.textContent || document.activeElement.getAttribute('aria-label')`,
    );
  const start = page.locator('.vitrine-side').getByRole('button', { name: 'New session' });
  await menu.click();
  await start.waitFor();
  expect(await menu.getAttribute('aria-expanded')).toBe('true');
  await expect.poll(focused).toContain('New session');
  await page.keyboard.press('Escape');
  await start.waitFor({ state: 'hidden' });
  await expect.poll(focused).toBe('Sessions');
});

it.each(['light', 'dark'] as const)(
  'the composer in right to left on a phone stays in sight, and the list opens on the right side in %s',
  async (colorScheme) => {
    const page = await open('?store&dir=rtl', { colorScheme, viewport: { width: 390, height: 800 } });
    await chatWith(page);
    /** The page and the chat stay where they are, also when something tries to scroll them sideways. */
    const moved = (): Promise<string[]> =>
      page.evaluate<string[]>(
        `[document.documentElement, ...document.querySelectorAll('.vitrine-chat, .vitrine-main, .vitrine-foot')]
        .filter((it) => ((it.scrollLeft = -500), it.scrollLeft !== 0)).map((it) => it.className)`,
      );
    const stays = async (): Promise<void> => {
      expect(await moved()).toEqual([]);
      const box = await page.locator('.vitrine-composer').boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    };
    await stays();
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    const list = page.locator('.vitrine-sessions');
    await expect
      .poll(async () => {
        const box = await list.boundingBox();
        return box === null ? null : box.x + box.width;
      })
      .toBe(390);
    await stays();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await stays();
  },
);

it('the drawer takes the focus also when the list loads after it was opened', async () => {
  const page = await (await open()).context().newPage();
  await page.setViewportSize({ width: 390, height: 800 });
  let load = (): void => undefined;
  const isWanted = new Promise<void>((resolve) => (load = resolve));
  await page.route(/session-list/, async (route) => {
    await isWanted;
    await route.continue();
  });
  await page.goto(`${url()}?store`);
  await page.getByRole('button', { name: 'Sessions', exact: true }).click();
  load();
  await expect
    .poll(() => page.evaluate<string>('document.activeElement.textContent'))
    .toContain('New session');
});

it('a session that is deleted in the drawer can be restored after the drawer has closed', async () => {
  const page = await open('?store', { viewport: { width: 390, height: 800 } });
  await say(page, 'A plan, please');
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  await page.getByRole('button', { name: 'Sessions', exact: true }).click();
  await page.locator('.vitrine-session').hover();
  await page.getByRole('button', { name: 'Delete A plan, please' }).click();
  await page.getByText('What can I help you with?').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'A plan', exact: true }).waitFor();
});

it('the first tab stop of the page leads to the message box', async () => {
  const page = await open('?store');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the message box');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Message');
  expect(page.url()).not.toContain('#');
});

it('a reload shows the session that was open, with its Markdown at once', async () => {
  const page = await open('?store');
  await chatWith(page);
  await page.addInitScript(`
    new MutationObserver(() => {
      const bare = document.querySelector('.vitrine-unparsed');
      if (bare !== null && getComputedStyle(bare).visibility === 'visible') window.bare = bare.textContent;
    }).observe(document, { childList: true, subtree: true });`);
  await page.reload();
  await page.getByRole('heading', { name: 'A plan', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('Your table is booked.', { exact: true }).waitFor();
  expect(await page.evaluate('window.bare')).toBeUndefined();
  expect(await page.locator('.vitrine-session').count()).toBe(1);
});

it('a chat in a box is as large as the box, and scrolls inside', async () => {
  const page = await open('?box');
  await chatWith(page);
  const box = await page.locator('.vitrine-chat').boundingBox();
  expect(box?.width).toBe(420);
  const end = (box?.y ?? 0) + (box?.height ?? 0);
  expect(end).toBeLessThanOrEqual(520);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(800);
});

/** Drags a file of this machine over the window by the browser itself, which opens a file that nobody takes. */
async function drag(
  page: Page,
  file: string,
): Promise<(type: 'dragOver' | 'drop', x: number, y: number) => Promise<void>> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  await client.send('Input.dispatchDragEvent', { type: 'dragEnter', x: 1, y: 1, data });
  return async (type, x, y) => {
    // The first event above an element only enters it.
    if (type === 'dragOver') await client.send('Input.dispatchDragEvent', { type, x: x - 1, y, data });
    await client.send('Input.dispatchDragEvent', { type, x, y, data });
  };
}
const file = fileURLToPath(new URL('../fixtures/dropped.txt', import.meta.url));

it('a file that is dropped anywhere on the window is attached, and the browser stays on the page', async () => {
  const page = await open('?store');
  const address = page.url();
  const move = await drag(page, file);
  const overlay = page.getByText('Drop files to attach them');
  await move('dragOver', 500, 200);
  await overlay.waitFor();
  expect(await overlay.boundingBox()).toEqual({ x: 6, y: 6, width: 988, height: 788 });
  await move('drop', 500, 200);
  await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor();
  expect(await overlay.count()).toBe(0);
  expect(page.url()).toBe(address);
  await say(page, 'A plan, please');
  await page.getByRole('region', { name: 'Conversation' }).getByText('dropped.txt').waitFor();
});

it('a file goes to the one of two chats that it is dropped on, and elsewhere to the one that was used last', async () => {
  const page = await open('?two');
  const chat = (index: number): Locator => page.locator('.vitrine-chat').nth(index);
  const filesOf = (index: number): Promise<number> =>
    chat(index).getByRole('button', { name: 'Remove dropped.txt' }).count();
  const move = await drag(page, file);
  await move('dragOver', 200, 300);
  await chat(0).getByText('Drop files to attach them').waitFor();
  await move('dragOver', 800, 300);
  await chat(1).getByText('Drop files to attach them').waitFor();
  expect(await page.getByText('Drop files to attach them').count()).toBe(1);
  await move('drop', 800, 300);
  await expect.poll(() => Promise.all([filesOf(0), filesOf(1)])).toEqual([0, 1]);
  await chat(0).getByLabel('Message', { exact: true }).focus();
  const again = await drag(page, file);
  await again('dragOver', 500, 780);
  await again('drop', 500, 780);
  await expect.poll(() => Promise.all([filesOf(0), filesOf(1)])).toEqual([1, 1]);
});

it('a stopped answer says once why it ended, and a question stands close to the answer before it', async () => {
  const page = await open('?store');
  await say(page, 'A plan, please');
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  await say(page, 'A long one');
  await page.getByText('word word').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped by you').waitFor();
  expect(await page.getByText('This answer is incomplete.').isVisible()).toBe(false);
  const [answer, question] = await Promise.all([
    page.locator('.vitrine-answer').first().boundingBox(),
    page.locator('.vitrine-user').nth(1).boundingBox(),
  ]);
  expect(question!.y - answer!.y - answer!.height).toBeLessThanOrEqual(40);
  // Once it is no longer the last answer, its own note says so.
  await say(page, 'A plan, please');
  await page.getByText('This answer is incomplete.').waitFor();
});
