import fc from 'fast-check';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import type { TabAct, TabShown } from './app/busy-tabs.ts';
import { type ServedPage, servePage } from '../serve-page.ts';

/** So many commands are given in two tabs, and so often from the beginning. */
const commands = Number(process.env['TAB_COMMANDS'] ?? 30);
const times = Number(process.env['PROVE_RUNS'] ?? 1);
/** They are at rest by then, in milliseconds, or never. */
const restMs = 60_000;

type Act = {
  readonly tab: 0 | 1;
  readonly waitMs: number;
  readonly act: TabAct | 'close' | 'crash' | 'dispose';
};

const acts = fc.array(
  fc.record<Act>({
    tab: fc.constantFrom(0 as const, 1 as const),
    waitMs: fc.constantFrom(0, 0, 5, 20, 60, 150),
    act: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<TabAct>('talk', 'talk', 'pay', 'pay', 'answer') },
      { weight: 4, arbitrary: fc.constantFrom<TabAct>('answer', 'answer', 'refuse', 'stop') },
      { weight: 4, arbitrary: fc.constantFrom<TabAct>('edit', 'regenerate', 'rename', 'draft', 'update') },
      { weight: 2, arbitrary: fc.constantFrom<Act['act']>('close', 'crash', 'dispose') },
    ),
  }),
  { minLength: commands, maxLength: commands },
);

type Tab = { readonly page: Page; isGone: boolean };
/** Something that was asked for in a tab. */
type Asked = { readonly tab: Tab; readonly words: string; status: string | null };

/** Two real tabs on one session, and what is heard of them. */
class TwoTabs {
  readonly effects = new Map<string, number>();
  readonly asked = new Map<string, Asked>();
  readonly #tabs: Tab[] = [];
  readonly #context: BrowserContext;
  readonly #url: string;

  constructor(context: BrowserContext, url: string) {
    [this.#context, this.#url] = [context, url];
  }

  async begin(): Promise<void> {
    await this.#context.exposeBinding('onEffect', (_source, id: string) => {
      this.effects.set(id, (this.effects.get(id) ?? 0) + 1);
    });
    await this.#context.exposeBinding('onSettled', (_source, id: string, status: string) => {
      const asked = this.asked.get(id);
      if (asked !== undefined) asked.status = status;
    });
    this.#tabs.push(await this.open(), await this.open());
  }

  async open(): Promise<Tab> {
    const page = await this.#context.newPage();
    const tab: Tab = { page, isGone: false };
    page.on('crash', () => (tab.isGone = true));
    await page.goto(this.#url);
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    await page.evaluate(() => {
      globalThis.session = globalThis.busy.open();
      void globalThis.session.ready;
    });
    return tab;
  }

  async act({ tab: at, waitMs, act }: Act, number: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const tab = await this.#living(at);
    if (act !== 'close' && act !== 'crash' && act !== 'dispose') return this.ask(tab, act, number);
    tab.isGone = true;
    if (act === 'close') await tab.page.close();
    else if (act === 'crash') await this.#crash(tab);
    else await tab.page.evaluate(() => void globalThis.session!.dispose());
    await this.#living(at);
  }

  async ask(tab: Tab, act: TabAct, number: number): Promise<void> {
    const [id, text] = [`${number}`, `${act} ${number}`];
    const isSaying = act === 'talk' || act === 'pay' || act === 'edit';
    this.asked.set(id, { tab, words: isSaying ? text : '', status: null });
    const isAsked = await tab.page.evaluate(
      ([what, words, key]) => globalThis.busy.act(globalThis.session!, what, words, key),
      [act, text, id] as const,
    );
    if (!isAsked) this.asked.delete(id);
  }

  /** Answers what is asked, in one tab and then in the other, until nothing goes on in both. */
  async rest(): Promise<void> {
    const until = Date.now() + restMs;
    for (let round = 0; ; round++) {
      const all = await this.shown();
      const open = [...this.asked].filter(([, { tab, status }]) => !tab.isGone && status === null);
      if (all.every(({ isAtRest }) => isAtRest) && open.length === 0) return;
      if (Date.now() > until)
        throw new Error(
          `They are never at rest: ${JSON.stringify([all.map(({ rest }) => rest), open.map(([id, { words }]) => [id, words])])}`,
        );
      const tab = await this.#living(round % 2);
      const does = { error: 'clear-error', 'awaiting-input': 'answer' } as const;
      const what = does[all[round % 2]!.status as keyof typeof does] ?? 'resume';
      await this.ask(tab, what, -1 - round);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  /** The view of each tab. */
  async shown(): Promise<TabShown[]> {
    const tabs = [await this.#living(0), await this.#living(1)];
    return Promise.all(
      tabs.map(({ page }) => page.evaluate(() => globalThis.busy.shown(globalThis.session!))),
    );
  }

  async #living(at: number): Promise<Tab> {
    const tab = this.#tabs[at];
    if (tab !== undefined && !tab.isGone) return tab;
    return (this.#tabs[at] = await this.open());
  }

  /** Its process is killed: it has no time for a last word. */
  async #crash({ page }: Tab): Promise<void> {
    const crashed = page.waitForEvent('crash');
    const control = await this.#context.newCDPSession(page);
    control.send('Page.crash').catch(() => undefined);
    await crashed;
  }
}

let served: ServedPage;
let browser: Browser;
beforeAll(async () => {
  [served, browser] = await Promise.all([servePage('stores/app'), chromium.launch(launchOptions())]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

function assertKept(tabs: TwoTabs, all: readonly TabShown[]): void {
  const [first, ...others] = all as [TabShown, ...TabShown[]];
  for (const { state, rest } of others) expect([state, rest]).toEqual([first.state, first.rest]);
  for (const [id, count] of tabs.effects) expect(count, `effects of ${id}`).toBe(1);
  for (const id of first.completed) expect(tabs.effects.get(id), `${id} is completed`).toBe(1);
  for (const { tab, words, status } of tabs.asked.values()) {
    if (words === '') continue;
    const count = first.said.filter(([, said]) => said === words).length;
    expect(count, words).toBeLessThanOrEqual(1);
    const isOff = status === 'refused' || status === 'cancelled';
    if (!tab.isGone && !isOff) expect(count, `${words} ${status}`).toBe(1);
  }
}

it(
  `two real tabs show the same after ${commands} commands in both, with tabs killed at random: nothing is lost, nothing has its effect twice`,
  { timeout: times * (commands * 2000 + 2 * restMs) },
  async () => {
    await fc.assert(
      fc.asyncProperty(acts, async (planned) => {
        const context = await browser.newContext();
        const tabs = new TwoTabs(context, served.url);
        try {
          await tabs.begin();
          for (const [number, act] of planned.entries()) await tabs.act(act, number);
          await tabs.rest();
          const third = await tabs.open();
          await expect
            .poll(() => third.page.evaluate(() => globalThis.busy.shown(globalThis.session!).isAtRest))
            .toBe(true);
          const read = await third.page.evaluate(() => globalThis.busy.shown(globalThis.session!));
          assertKept(tabs, [...(await tabs.shown()), read]);
        } finally {
          await context.close();
        }
      }),
      { numRuns: times, endOnFailure: true },
    );
  },
);
