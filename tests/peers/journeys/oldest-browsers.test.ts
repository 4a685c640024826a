import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { newerNames, secureOnly } from '../browser-floor.ts';
import { startUpstream, type Upstream } from '../../upstream/upstream.ts';
import { demoJourneys } from '../../journeys/demo-journeys.ts';
import { streamOf } from '../../journeys/stream-of.ts';
import { plainHost, type Visitor } from '../../journeys/visitor.ts';

const answer =
  'This has a **word**, a [link](https://a.example) and `code`:\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\nThe end.';
let upstream: Upstream;
/** Chromium's remark on the demo's own headers where it does not trust the address. */
const expected = /^The Cross-Origin-Opener-Policy header has been ignored/;
const demo = demoJourneys(
  async () => {
    upstream = await startUpstream();
    upstream.behave = streamOf(answer);
    return {
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      VITRINE_MODELS: 'openai-compatible:m',
      ALLOWED_HOSTS: plainHost,
    };
  },
  { expected },
);
const offline = demoJourneys({ ALLOWED_HOSTS: plainHost }, { expected });
afterAll(() => upstream.close());

/** Removes all that is newer than the oldest browsers from the page, before its own scripts run. */
const withoutNewer = `(() => {
  const remove = (target, name) => {
    if (target === null || (typeof target !== 'object' && typeof target !== 'function')) return;
    const key = name.startsWith('@@') ? Symbol[name.slice(2)] : name;
    if (key !== undefined) Reflect.deleteProperty(target, key);
  };
  const names = ${JSON.stringify(newerNames())};
  // Members first: a global that is gone has none.
  for (const { owner, name, at } of names) {
    const target = owner === null ? null : window[owner];
    if (at !== 'prototype') remove(target, name);
    if (at !== 'static') remove(target?.prototype ?? null, name);
    if (owner === 'Window') remove(window, name);
  }
  for (const { owner, name } of names) if (owner === null) remove(window, name);
})();`;

/** Sends the researcher to the server, follows its run, and answers its question. */
async function researchOnServer({ page, say, conversation }: Visitor): Promise<void> {
  await page.getByRole('radio', { name: /^Researcher/ }).check();
  await page.getByRole('button', { name: 'Run on the server' }).click();
  await page.getByText('On the server', { exact: true }).waitFor();
  await say('Research how budgets work');
  const card = page.getByRole('region', { name: 'May save_report run?' });
  await card.getByRole('button', { name: 'Approve', exact: true }).click();
  await conversation.getByRole('region', { name: /^Report:/ }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
}

/** All members of globals, as `Owner.member` and `Owner#member`, and all globals. */
const namesIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    Object.getOwnPropertyNames(window).flatMap((name) => {
      const found = (window as unknown as Record<string, unknown>)[name];
      if (typeof found !== 'function') return [name];
      const ofPrototype = Object.getOwnPropertyNames((found.prototype as object | undefined) ?? {});
      return [name, ...ofPrototype.map((member) => `${name}#${member}`)];
    }),
  );

describe('the oldest browsers', { timeout: 240_000 }, () => {
  it('a person with the oldest browser chats, reads a link and code, and follows a session on the server', async () => {
    const visitor = await demo.visit({ script: withoutNewer });
    const left = await visitor.page.evaluate(() => [
      'canParse' in URL,
      'any' in AbortSignal,
      'toSorted' in [],
    ]);
    expect(left).toEqual([false, false, false]);
    await visitor.say('Hello');
    await visitor.conversation.getByText('The end.').waitFor();
    await visitor.conversation.getByText('a.example', { exact: true }).waitFor();
    expect(await visitor.conversation.getByText('cannot be displayed').count()).toBe(0);
    await visitor.page
      .getByRole('region', { name: 'Vitrine devtools' })
      .getByText(/^It finished after/)
      .waitFor();
    expect(await visitor.page.getByRole('alert').count()).toBe(0);
    await researchOnServer(await offline.visit({ script: withoutNewer }));
  });

  it('a person on a local network without HTTPS chats, finds the session again, and runs one on the server', async () => {
    const visitor = await demo.visit({ isPlain: true });
    const { page, conversation, say } = visitor;
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await say('Hello');
    await conversation.getByText('The end.').waitFor();
    await conversation.getByRole('button', { name: 'Copy code' }).click();
    await conversation.getByText('Copying is not allowed here; select the text instead.').waitFor();
    await page.reload();
    await conversation.getByText('The end.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await researchOnServer(await offline.visit({ isPlain: true }));
  });

  it('the list of what needs HTTPS is that of Chromium', async () => {
    const [safe, plain] = [await demo.visit(), await demo.visit({ isPlain: true })];
    const there = new Set(await namesIn(plain.page));
    const isKnown = (owner: string, member: string): boolean =>
      there.has(owner) && bcd.api[owner]?.[member] !== undefined;
    const newer = new Set(
      newerNames().map(({ owner, name }) => (owner === null ? name : `${owner}#${name}`)),
    );
    const gone = (await namesIn(safe.page)).filter((name) => {
      const [owner = '', member] = name.split('#');
      if (there.has(name) || newer.has(name) || newer.has(`Window#${name}`)) return false;
      // Interfaces are reached through a member of another, which is in the list.
      return member === undefined
        ? /^[a-z]/.test(name) && bcd.api[name] !== undefined
        : isKnown(owner, member);
    });
    const listed = Object.entries(secureOnly).flatMap(([owner, names]) =>
      names.map((name) => (owner === 'Window' ? name : `${owner}#${name}`)),
    );
    expect(gone.sort()).toEqual(listed.sort());
  });
});

/** Translates as the translator of Chrome does: each text goes into two elements that take its place, again and again. */
const translator = `addEventListener('DOMContentLoaded', () => {
  const wrap = (node) => {
    if (!node.data.trim() || node.parentElement?.closest('font, script, style, textarea, input')) return;
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.textContent = '«' + node.data + '»';
    outer.append(inner);
    node.replaceWith(outer);
  };
  const all = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    texts.forEach(wrap);
  };
  all(document.body);
  new MutationObserver((records) => {
    for (const { addedNodes, target, type } of records) {
      for (const node of addedNodes) node.nodeType === Node.TEXT_NODE ? wrap(node) : all(node);
      if (type === 'characterData') wrap(target);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
});`;

describe('a translated page', { timeout: 240_000 }, () => {
  it('a person reads whole answers while a translator replaces every text of the page', async () => {
    const visitor = await demo.visit({ script: translator });
    const { conversation, say } = visitor;
    upstream.behave = streamOf(answer, { byWord: true });
    for (const question of ['Hello', 'Again']) {
      await say(question);
      await conversation.getByText(`«${question}»`).waitFor();
    }
    await expect.poll(() => conversation.getByText('«The end.»').count()).toBe(2);
    const shown = await conversation.locator('.vitrine-markdown').allInnerTexts();
    const whole = '«This has a »«word»«, a »«link» «a.example»« and »«code»«:»';
    for (const text of shown) expect(text).toContain(whole);
    expect(await conversation.getByText('cannot be displayed').count()).toBe(0);
  });
});
