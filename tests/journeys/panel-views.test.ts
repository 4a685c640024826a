import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { panelFaults } from './axe-faults.ts';
import { hostileStyles } from './panel-page/hostile-styles.ts';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import { diagnosed, type PanelVisit } from './panel-page/panel-visit.ts';

const open = panelJourneys();
let visit: PanelVisit;

const views = ['Run', 'State', 'Events', 'Trace', 'Cause', 'History'] as const;
const pages = ['Sent', 'Received', 'Tools', 'State', 'Why'] as const;

/** The page with the panel, and an agent that was asked something. */
async function opened(
  options: object = {},
  visitOptions: Parameters<typeof open>[0] = {},
  bug = 'wrong argument',
): Promise<void> {
  visit = await open(visitOptions);
  await visit.page.evaluate(
    async ([given, name]) => {
      panelPage.mount(given);
      await panelPage.bugs[name]?.();
    },
    [options, bug] as const,
  );
  await visit.panel.getByText(/^It (finished|was stopped) after 2 steps/).waitFor();
  await diagnosed(visit.panel);
}

const view = (name: string): Locator =>
  visit.panel.getByRole('tablist', { name: 'Views', exact: true }).getByRole('tab', { name });
const page = (name: string): Locator =>
  visit.panel.getByRole('tablist', { name: /^Views of step/ }).getByRole('tab', { name });

describe('moments', () => {
  it('the times are shown by the clock or from the start of the run, in every view, as chosen at the last visit', async () => {
    await opened();
    const { panel } = visit;
    await view('Events').click();
    const times = (): Promise<string[]> => panel.locator('.event .figure').allTextContents();
    expect(await times()).toEqual(
      (await times()).map(() => expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/)),
    );
    await panel.getByRole('button', { name: 'Since start' }).click();
    const relative = await times();
    expect(relative.length).toBeGreaterThan(5);
    expect(relative).toEqual(relative.map(() => expect.stringMatching(/^[+-]\d+\.\d{3} s$/)));
    expect(relative).toContain('+0.000 s');
    await view('Run').click();
    await panel.getByRole('treeitem').first().click();
    await page('Tools').click();
    await panel.getByText(/^Started \+\d+\.\d{3} s · ended \+/).waitFor();
    await visit.page.reload();
    await visit.page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
    await visit.page.evaluate(async () => {
      panelPage.mount();
      await panelPage.bugs['wrong argument']?.();
    });
    await view('Events').click();
    await panel.getByText('+0.000 s').first().waitFor();
    await panel.getByRole('button', { name: 'Menu' }).click();
    await panel.getByRole('button', { name: 'Commands' }).click();
    await visit.page.keyboard.type('times by the clock');
    await visit.page.keyboard.press('Enter');
    await expect.poll(async () => (await times())[0]).toMatch(/^\d\d:/);
  });

  it(
    'a thousand moves through the moments leave the state of the session the same object, and new events do not move them',
    { timeout: 120_000 },
    async () => {
      visit = await open();
      const { page: shown, panel } = visit;
      await shown.evaluate(async () => {
        panelPage.mount();
        await panelPage.add('walker');
        await panelPage.agents.get('walker')?.sendMessage('And again');
      });
      await panel.getByText(/^It finished after 1 step/).waitFor();
      await panel.getByRole('button', { name: 'Look back' }).click();
      const slider = panel.getByRole('slider', { name: 'Moment' });
      const isSame = await slider.evaluate(async (element) => {
        const input = element as HTMLInputElement;
        const session = panelPage.agents.get('walker');
        const before = session?.store.getState().state;
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
        const [min, count] = [Number(input.min), Number(input.max) - Number(input.min) + 1];
        for (let move = 0; move < 1000; move++) {
          set?.call(input, String(min + ((move * 7) % count)));
          input.dispatchEvent(new Event('input', { bubbles: true }));
          if (move % 50 === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
        }
        return before !== undefined && session?.store.getState().state === before;
      });
      expect(isSame).toBe(true);
      await slider.focus();
      await shown.keyboard.press('Home');
      await panel.getByText('It had not run yet.').waitFor();
      await shown.evaluate(() => panelPage.agents.get('walker')?.sendMessage('Once more'));
      await panel.getByText(/^\+\d+ new$/).waitFor();
      expect(await slider.getAttribute('aria-valuetext')).toBe('before the first event');
      await panel.getByRole('button', { name: 'Back to live' }).click();
      await panel.getByText('run 3', { exact: true }).waitFor();
    },
  );
});

describe('a tab of the application that throws', () => {
  it('a tab that throws says so in its own place, and the page and the other views go on', async () => {
    visit = await open();
    await visit.page.evaluate(async () => {
      panelPage.mountWithFaultyTab();
      await panelPage.add('agent');
    });
    const { panel } = visit;
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await view('Bad').click();
    await panel.getByRole('alert').getByText('This view failed: So it goes').waitFor();
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await view('Events').click();
    await panel.getByText('execution-end', { exact: true }).waitFor();
    expect(await panel.getByRole('alert').count()).toBe(0);
    // React tells the console of what a boundary caught; the page itself hears no error.
    const said = visit.complaints.splice(0);
    expect(said.filter((text) => !text.includes('So it goes'))).toEqual([]);
  });
});

describe('all views of the panel', () => {
  it.each(['light', 'dark'] as const)(
    'all views of the panel have no faults for axe, %s',
    { timeout: 120_000 },
    async (theme) => {
      const faults: string[] = [];
      const look = async (name: string): Promise<void> => {
        faults.push(...(await panelFaults(visit.page)).map((fault) => `${name}: ${fault}`));
      };
      await opened({ theme, position: 'bottom' }, {}, 'much text');
      for (const name of views) {
        await view(name).click();
        if (name === 'State') await visit.panel.getByRole('button', { name: /look/ }).first().waitFor();
        if (name === 'Events') await visit.panel.locator('.event').first().click();
        if (name === 'Trace') await visit.panel.getByRole('button', { name: 'Make a test' }).click();
        await look(name);
      }
      await view('Run').click();
      await visit.panel.getByRole('treeitem').first().click();
      for (const name of pages) {
        await page(name).click();
        if (name === 'State') await visit.panel.getByRole('treeitem', { name: /^systemPrompt/ }).click();
        await look(name);
      }
      await visit.panel.getByRole('button', { name: 'Menu' }).click();
      await look('menu');
      await visit.panel.getByRole('button', { name: 'Commands' }).click();
      await look('commands');
      await visit.page.keyboard.press('Escape');
      await visit.panel.getByLabel('Search everything').fill('everywhere');
      await visit.panel.getByRole('listbox', { name: 'Found' }).waitFor();
      await look('search');
      await visit.page.evaluate(() => void panelPage.bugs['approval that nobody has given']?.());
      await visit.panel.getByLabel('Search everything').fill('');
      await visit.panel.getByLabel('Session').selectOption({ index: 1 });
      await visit.panel.getByText(/^It waits for/).waitFor();
      await look('in progress');
      expect(faults).toEqual([]);
    },
  );

  it('show what is chosen and where the keyboard is in forced colours, and move nothing for who wants that', async () => {
    await opened({ theme: 'light' }, {}, 'much text');
    await visit.page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    const outline = (of: Locator): Promise<string> =>
      of.first().evaluate((element) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return `${outlineStyle} ${outlineWidth}`;
      });
    const { panel } = visit;
    await panel.getByRole('treeitem').first().click();
    expect(await outline(panel.getByRole('treeitem', { selected: true }))).toBe('solid 2px');
    await view('Events').click();
    await panel.locator('.event').first().click();
    expect(await outline(panel.locator('.event[aria-selected="true"]'))).toBe('solid 2px');
    for (const name of views) {
      await view(name).click();
      const moving = await visit.page.evaluate(
        () =>
          document
            .querySelector('[data-vitrine-devtools]')
            ?.shadowRoot?.getAnimations()
            .filter(({ playState }) => playState === 'running').length,
      );
      expect([name, moving]).toEqual([name, 0]);
    }
    await view('Run').focus();
    const unmarked = new Set<string>();
    for (let presses = 0; presses < 40; presses++) {
      await visit.page.keyboard.press('Tab');
      const focused = await visit.page.evaluate(() => {
        const element = document.querySelector('[data-vitrine-devtools]')?.shadowRoot?.activeElement;
        if (!element) return null;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return [
          element.outerHTML.slice(0, 100),
          outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
        ];
      });
      if (focused && focused[1] === false) unmarked.add(String(focused[0]));
    }
    expect([...unmarked]).toEqual([]);
  });

  it('read aloud one message a second at most, whatever happens', { timeout: 120_000 }, async () => {
    visit = await open();
    const { panel, page: shown } = visit;
    await shown.evaluate(async () => {
      panelPage.mount();
      await panelPage.add('talker');
    });
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await panel.getByRole('button', { name: 'Look back' }).click();
    await shown.keyboard.press('Home');
    await panel.getByRole('button', { name: 'Back to live' }).waitFor();
    await shown.evaluate(() => {
      const shadow = document.querySelector('[data-vitrine-devtools]')?.shadowRoot as ShadowRoot;
      const live = '[aria-live], [role="status"], [role="log"], [role="alert"]';
      const heard: number[] = [];
      Object.assign(globalThis, { heard });
      new MutationObserver((changes) => {
        const isHeard = ({ target }: MutationRecord): boolean =>
          (target instanceof Element ? target : target.parentElement)?.closest(live) != null;
        if (changes.some(isHeard)) heard.push(Date.now());
      }).observe(shadow, { subtree: true, childList: true, characterData: true });
    });
    await shown.clock.install({ time: 0 });
    await shown.clock.pauseAt(10_000);
    for (const name of ['Events', 'State']) {
      await view(name).click();
      for (let ms = 0; ms < 3000; ms += 50) {
        await shown.evaluate(() => void panelPage.agents.get('talker')?.sendMessage('Go on'));
        await shown.clock.runFor(50);
      }
    }
    await panel.getByText(/^\+\d+ new$/).waitFor();
    const heard = await shown.evaluate(() => (globalThis as unknown as { heard: number[] }).heard);
    expect(heard.length).toBeGreaterThan(2);
    const gaps = heard.slice(1).map((at, index) => at - heard[index]!);
    expect(Math.min(...gaps)).toBeGreaterThan(900);
  });

  it('say what one reads in them whatever the styles of the page do', async () => {
    const read = (): Promise<string[]> =>
      visit.page.evaluate(() => {
        const shadow = document.querySelector('[data-vitrine-devtools]')?.shadowRoot;
        const looks = (element: Element): string => {
          const { color, fontSize, display, visibility, fontFamily, backgroundColor } =
            getComputedStyle(element);
          const { width, height } = element.getBoundingClientRect();
          return [
            element.tagName,
            element.className,
            color,
            fontSize,
            display,
            visibility,
            fontFamily,
            backgroundColor,
            Math.round(width),
            Math.round(height),
          ].join(' ');
        };
        return [...(shadow?.querySelectorAll('.root *') ?? [])]
          .filter((element) => !element.closest('.lanes, .axis, .figures, .figure, .moment, .bars'))
          .map(looks);
      });
    await opened({ theme: 'light' });
    const kindly = await read();
    await visit.close();
    await opened({ theme: 'light' }, { html: hostileStyles });
    expect(await read()).toEqual(kindly);
    expect(kindly.length).toBeGreaterThan(60);
    const rules = await visit.page.evaluate(
      () => document.styleSheets.length + document.adoptedStyleSheets.length,
    );
    expect(rules).toBe(1);
  });

  it('need no exception from a strict Content Security Policy and Trusted Types', async () => {
    const policy = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-x'",
      'img-src data:',
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; ');
    await opened({}, { headers: { 'content-security-policy': policy } });
    await visit.page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(globalThis, { heard });
      document.addEventListener('securitypolicyviolation', (event) => heard.push(event.violatedDirective));
    });
    for (const name of [...views, 'Run']) await view(name).click();
    for (const name of pages) await page(name).click();
    await view('State').click();
    await visit.panel
      .getByRole('button', { name: /weather/ })
      .first()
      .click();
    expect(await visit.page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard)).toEqual([]);
  });

  it('show twenty agents that come and go in any order, to a panel that was opened late', async () => {
    visit = await open();
    const { page: shown, panel } = visit;
    const names = Array.from({ length: 20 }, (_, index) => `agent-${index}`);
    await shown.evaluate(async (all) => {
      for (const name of all) await panelPage.add(name);
      panelPage.mount();
    }, names);
    const list = panel.getByLabel('Session').locator('option');
    await expect.poll(() => list.count()).toBe(20);
    const gone = names.filter((_, index) => (index * 7) % 3 !== 0);
    await shown.evaluate(async (all) => {
      for (const name of all.toReversed()) await panelPage.remove(name);
    }, gone);
    await expect.poll(() => list.allInnerTexts()).toHaveLength(names.length - gone.length);
    for (const text of await list.allInnerTexts()) expect(gone).not.toContain(text.split(' ')[0]);
    await shown.evaluate(async (all) => {
      for (const name of all) await panelPage.add(name);
    }, gone);
    await expect.poll(() => list.count()).toBe(20);
    await panel.getByLabel('Session').selectOption({ index: 3 });
    await panel.getByText(/^It finished after 1 step/).waitFor();
  });
});
