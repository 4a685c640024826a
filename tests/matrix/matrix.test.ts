import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  type MockInstance,
  vi,
} from 'vitest';
import { kinds } from './build-app.ts';
import { type App, serveApp } from './serve-app.ts';
import { closeBrowser, visit, type Visit } from './visit.ts';

afterAll(closeBrowser);

// What React says while it renders on the server is said in this process.
let serverSays: MockInstance[] = [];
beforeEach(() => {
  serverSays = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
});
afterEach(() => {
  for (const says of serverSays) expect(says).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

describe.each(kinds)('on $name', (kind) => {
  let app: App;
  let open: Visit | null = null;
  beforeAll(async () => {
    app = await serveApp(kind);
  });
  afterAll(() => app.close());
  afterEach(async () => {
    await open?.close();
    open = null;
  });

  async function at(page: string): Promise<Visit> {
    open = await visit(`${app.url}/${page}`);
    return open;
  }
  /** By key: a button that an answer pushes down between press and release of a mouse is not clicked. */
  async function ask({ page }: Visit, chat: string): Promise<void> {
    await page.getByRole('button', { name: `Ask ${chat}`, exact: true }).press('Enter');
  }
  async function shows({ messagesOf }: Visit, chat: string, messages: readonly string[]): Promise<void> {
    await expect.poll(() => messagesOf(chat)).toEqual(messages);
  }
  /** The sentences about mistakes are loaded when one is made: they come after the answer now and then. */
  async function complainsOnce({ complaints }: Visit, about: string): Promise<void> {
    await expect.poll(() => complaints).toEqual([expect.stringContaining(about)]);
  }

  describe.each(['', '?strict'])('served and hydrated%s', (mode) => {
    it('an anonymous chat is answered once, and says nothing', async () => {
      const chat = await at(`anonymous${mode}`);
      await ask(chat, 'chat');
      await shows(chat, 'chat', ['question', 'the answer']);
      expect(await chat.counts()).toEqual({ 'calls of scribe': 1 });
      expect(chat.complaints).toEqual([]);
    });

    it('the panel shows a run in each of its tabs, and says nothing', async () => {
      const chat = await at(`panel${mode}`);
      await ask(chat, 'chat');
      await shows(chat, 'chat', ['question', 'the answer']);
      const panel = chat.page.getByRole('region', { name: 'Vitrine devtools' });
      await panel.getByText(/^It finished after 1 step/).waitFor();
      const tabs = panel.getByRole('tablist').first().getByRole('tab');
      expect(await tabs.count()).toBeGreaterThan(4);
      for (const tab of await tabs.all()) {
        await tab.click();
        const shown = panel.getByRole('tabpanel').first();
        await expect.poll(() => shown.innerText()).not.toBe('');
        expect(await panel.getByRole('alert').count(), await tab.innerText()).toBe(0);
      }
      expect(chat.complaints).toEqual([]);
    });

    it('the server renders the page that the browser begins with, without an id', async () => {
      const html = await (await fetch(`${app.url}/anonymous${mode}`)).text();
      expect(html).toContain('data-status="ready" data-id="none"');
      const chat = await at(`anonymous${mode}`);
      await expect.poll(() => chat.page.locator('section').getAttribute('data-id')).toBe('none');
      expect(chat.complaints).toEqual([]);
    });

    it('two views of a stored session show the same, and it goes on while nobody looks', async () => {
      const chat = await at(`named${mode}`);
      await expect.poll(() => chat.page.locator('section[data-status=ready]').count()).toBe(2);
      await ask(chat, 'first');
      await expect.poll(async () => (await chat.messagesOf('second')).join()).toMatch(/^question,one/);
      await chat.page.getByRole('button', { name: 'leave' }).click();
      await expect.poll(() => chat.page.locator('section').count()).toBe(0);
      await chat.page.waitForTimeout(100);
      await chat.page.getByRole('button', { name: 'come back' }).click();
      await shows(chat, 'second', ['question', 'one two three']);
      await chat.page.getByRole('button', { name: 'leave' }).click();
      await chat.page.waitForTimeout(100);
      await chat.page.getByRole('button', { name: 'come back' }).click();
      await ask(chat, 'first');
      await shows(chat, 'second', ['question', 'one two three', 'question', 'one two three']);
      expect(chat.complaints).toEqual([]);
    });

    it('two roots have a conversation each, with its own agent', async () => {
      const chat = await at(`two-roots${mode}`);
      await ask(chat, 'right');
      await expect.poll(async () => (await chat.messagesOf('right')).join()).toMatch(/right 0 .* 59 $/);
      expect(await chat.messagesOf('left')).toEqual([]);
      expect(chat.complaints).toEqual([]);
    });

    it('two answers stream beside each other', async () => {
      const chat = await at(`two-streams${mode}`);
      await ask(chat, 'left');
      await ask(chat, 'right');
      await expect.poll(async () => (await chat.messagesOf('left')).join()).toMatch(/left 0 .* 59 $/);
      await expect.poll(async () => (await chat.messagesOf('right')).join()).toMatch(/right 0 .* 59 $/);
      expect(chat.complaints).toEqual([]);
    });

    it('a boundary that hydrates late begins with what the server had, and then shows the present', async () => {
      const chat = await at(`late-boundary${mode}`);
      await chat.page.getByRole('button', { name: 'Ask' }).click();
      await expect.poll(() => chat.page.locator('section p').textContent()).toBe('2 messages');
      expect(await chat.page.getByLabel('late').textContent()).toBe('0 messages');
      await chat.page.evaluate(() => globalThis.letHydrate?.());
      await expect.poll(() => chat.page.getByLabel('late').textContent()).toBe('2 messages');
      expect(chat.complaints).toEqual([]);
    });

    // React 18 has no <Activity>.
    if (kind.react !== '18.2')
      it('a hidden chat keeps its conversation, and its run goes on', async () => {
        const chat = await at(`hidden${mode}`);
        await ask(chat, 'quick');
        await shows(chat, 'quick', ['question', 'the answer']);
        await ask(chat, 'slow');
        await chat.page.getByRole('button', { name: 'hide' }).click();
        await chat.page.waitForTimeout(700);
        await chat.page.getByRole('button', { name: 'show' }).click();
        await shows(chat, 'slow', ['question', 'one two three']);
        await shows(chat, 'quick', ['question', 'the answer']);
        await ask(chat, 'quick');
        await shows(chat, 'quick', ['question', 'the answer', 'question', 'the answer']);
        expect(chat.complaints).toEqual([]);
      });

    it('a store that is made in every render is named once, and the page settles', async () => {
      const chat = await at(`inline-store${mode}`);
      await expect.poll(() => chat.page.getByText('outer').textContent()).toBe('outer ready');
      await ask(chat, 'chat');
      await shows(chat, 'chat', ['question', 'the answer']);
      expect((await chat.counts())['renders']).toBeLessThan(20);
      await complainsOnce(chat, 'creates a new session store in each render');
    });

    it('two agents for one session are named once, and the first answers', async () => {
      const chat = await at(`two-agents${mode}`);
      await ask(chat, 'two');
      await shows(chat, 'one', ['question', 'from the first']);
      await complainsOnce(chat, '"first" and "second"');
    });

    it('no message of a history of 300 renders while 2,000 deltas stream', async () => {
      const chat = await at(`history${mode}`);
      await expect.poll(async () => (await chat.counts())['commits of old-299'] ?? 0).toBeGreaterThan(0);
      const before = await chat.counts();
      await chat.page.getByRole('button', { name: 'Ask' }).click();
      await expect.poll(() => chat.page.locator('li').last().textContent()).toBe('x'.repeat(2000));
      const after = await chat.counts();
      const ofHistory = (counts: Record<string, number>): [string, number][] =>
        Object.entries(counts).filter(([what]) => what.includes(' of old-'));
      expect(ofHistory(after)).toHaveLength(600);
      expect(ofHistory(after)).toEqual(ofHistory(before));
      expect(
        Object.entries(after).some(
          ([what, times]) => what.startsWith('renders of ') && !what.includes('old-') && times > 1,
        ),
      ).toBe(true);
      expect(chat.complaints).toEqual([]);
    });
  });
});
