import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type ServedPage, servePage } from '../serve-page.ts';
import { axeFaults } from './axe-faults.ts';
import { closeBrowser, visit, type VisitOptions } from './visitor.ts';

/** Options of each visit, and the messages of browsers that do not count as faults (default: none). */
type PageOptions = VisitOptions & { readonly expected?: RegExp };

/** A page with a chat for the tests of a file. */
type PageJourneys = {
  /** The address, which is known once the tests run. */
  readonly url: () => string;
  /** A person with a browser of their own opens the page, with a query such as `?store`. */
  readonly open: (query?: string, options?: VisitOptions) => Promise<Page>;
};

/**
 * Builds and serves the page of a folder below `tests` for the tests of a file, and ends it after them. Whoever opened it
 * leaves after each test; none of them may have seen a complaint of the browser.
 */
export function pageJourneys(
  folder: string,
  { expected = /^\b$/, ...usual }: PageOptions = {},
): PageJourneys {
  let served: ServedPage | null = null;
  let complaints: (readonly string[])[] = [];
  const pages: Page[] = [];
  const url = (): string => served?.url ?? '';

  beforeAll(async () => {
    served = await servePage(folder);
  });
  afterAll(async () => {
    await closeBrowser();
    await served?.close();
  });
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.context().close()));
    const seen = complaints.flat();
    complaints = [];
    expect(seen.filter((text) => !expected.test(text))).toEqual([]);
  });
  return {
    url,
    async open(query = '', options = {}) {
      const visitor = await visit(`${url()}${query}`, { ...usual, ...options });
      pages.push(visitor.page);
      complaints.push(visitor.complaints);
      return visitor.page;
    },
  };
}

/** Expects a page without faults that does not scroll sideways; `SHOTS` names a folder for its picture. */
export async function expectSound(page: Page, name: string): Promise<void> {
  expect(await axeFaults(page)).toEqual([]);
  const sideways = await page.evaluate<string[]>(
    `[document.documentElement, ...document.querySelectorAll('.vitrine-main, .vitrine-scroller, .vitrine-foot')]
      .filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.className)`,
  );
  expect(sideways).toEqual([]);
  const shots = process.env['SHOTS'];
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
}
