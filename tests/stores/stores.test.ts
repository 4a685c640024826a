import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchOptions } from '../../scripts/ensure-chromium.ts';
import { type ServedPage, servePage } from '../serve-page.ts';
import type {} from './app/client.ts';

let served: ServedPage;
let browser: Browser;
let context: BrowserContext;
beforeAll(async () => {
  [served, browser] = await Promise.all([servePage('stores/app'), chromium.launch(launchOptions())]);
});
afterAll(async () => {
  await browser.close();
  await served.close();
});
afterEach(() => context.close());

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(served.url);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  return page;
}

/** Laws that are too large, or need a hook, in a page. */
const options = { changes: 60, mutations: 150, sessions: 200 };

describe.each([
  ['localStorage', 'inLocalStorage', ['injectedErrors', 'blobs']],
  ['IndexedDB', 'inIndexedDB', ['injectedErrors', 'raw']],
  ['the best place', 'inBrowser', ['injectedErrors', 'raw']],
])('in a real browser, a session store in %s', (_name, maker, lacks) => {
  it('a session store keeps every law that can be tried there', async () => {
    context = await browser.newContext();
    const page = await openPage();
    const results = await page.evaluate(([chosen, given]) => globalThis.laws.tryLaws(chosen, given), [
      maker,
      options,
    ] as const);
    const broken = Object.entries(results).filter(
      ([, result]) =>
        result !== null && !lacks.some((hook) => result.startsWith('skipped') && result.includes(hook)),
    );
    expect(broken).toEqual([]);
    expect(Object.values(results).filter((result) => result === null).length).toBeGreaterThan(8);
  });
});

describe('in a real browser', () => {
  it.each(['localStorage', 'indexedDB'])(
    'two tabs write one session in %s: each write has one winner',
    async (kind) => {
      context = await browser.newContext();
      const pages = [await openPage(), await openPage()];
      const rounds = 30;
      const won = await Promise.all(
        pages.map((page, tab) =>
          page.evaluate(
            async ({ kind, tab, rounds }) => {
              const store = globalThis.laws.open[kind]!('shared');
              let won = 0;
              while (won < rounds) {
                const found = globalThis.laws.loadedSession(await store.load('a'));
                const record = {
                  ...(found ?? globalThis.laws.blank('a')),
                  title: `${found?.title ?? ''}${tab}`,
                };
                await store.save(record, { expectedVersion: found?.version ?? 0 }).then(
                  () => won++,
                  (error: { code?: string }) => {
                    if (error.code !== 'session-conflict') throw error;
                  },
                );
              }
              return won;
            },
            { kind, tab, rounds },
          ),
        ),
      );
      expect(won).toEqual([rounds, rounds]);
      const stored = await pages[0]!.evaluate(async (kind) => {
        const found = globalThis.laws.loadedSession(await globalThis.laws.open[kind]!('shared').load('a'));
        return { title: found?.title, version: found?.version };
      }, kind);
      expect(stored.version).toBe(2 * rounds);
      expect(stored.title?.length).toBe(2 * rounds);
    },
  );

  it.each(['localStorage', 'indexedDB'])('another tab hears of a change in %s', async (kind) => {
    context = await browser.newContext();
    const [writer, hearer] = [await openPage(), await openPage()];
    const heard = hearer.evaluate(
      (kind) =>
        new Promise<string | null>(
          (resolve) => void globalThis.laws.open[kind]!('shared').subscribe?.(resolve),
        ),
      kind,
    );
    await hearer.waitForTimeout(100);
    await writer.evaluate(
      (kind) =>
        globalThis.laws.open[kind]!('shared').save(globalThis.laws.blank('a'), { expectedVersion: 0 }),
      kind,
    );
    expect(await heard).toBe('a');
  });

  it('what is saved to localStorage when a page goes away is there', async () => {
    context = await browser.newContext();
    const page = await openPage();
    await page.evaluate(async () => {
      const store = globalThis.laws.open['localStorage']!('left');
      const expectedVersion = await store.save(globalThis.laws.blank('a'), { expectedVersion: 0 });
      const left = { ...globalThis.laws.blank('a'), title: 'left' };
      addEventListener('pagehide', () => void store.save(left, { expectedVersion }));
    });
    await page.reload();
    const title = await page.evaluate(
      async () =>
        globalThis.laws.loadedSession(await globalThis.laws.open['localStorage']!('left').load('a'))?.title,
    );
    expect(title).toBe('left');
  });

  it('a tab lets go of its database when another one deletes it, and opens it again', async () => {
    context = await browser.newContext();
    const [first, second] = [await openPage(), await openPage()];
    await first.evaluate(async () => {
      globalThis.kept = globalThis.laws.open['indexedDB']!('shared');
      await globalThis.kept.save(globalThis.laws.blank('a'), { expectedVersion: 0 });
    });
    const deleted = await second.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const request = indexedDB.deleteDatabase('shared');
          request.addEventListener('success', () => resolve('deleted'));
          setTimeout(() => resolve('blocked'), 5000);
        }),
    );
    expect(deleted).toBe('deleted');
    expect(await first.evaluate(async () => (await globalThis.kept?.load('a'))?.kind)).toBe('absent');
    expect(
      await first.evaluate(() => globalThis.kept?.save(globalThis.laws.blank('a'), { expectedVersion: 0 })),
    ).toBe(1);
  });
});
