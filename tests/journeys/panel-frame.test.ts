import { describe, expect, it } from 'vitest';
import { panelJourneys } from './panel-page/panel-journeys.ts';
import type { PanelVisit } from './panel-page/panel-visit.ts';

const open = panelJourneys();
let visit: PanelVisit;

const chat =
  '<main style="height: 3000px"><dialog id="dialog">A dialog of the page</dialog><div id="chat"></div></main>';

async function opened(options: object = {}): Promise<void> {
  visit = await open({ html: chat });
  await visit.page.evaluate(async (given) => {
    const mounted = panelPage.mount(given);
    Object.assign(globalThis, { mounted });
    await panelPage.bugs['wrong argument']?.();
  }, options);
  await visit.panel.getByText(/^It finished after 2 steps/).waitFor();
}

const menu = (): Promise<void> => visit.panel.getByRole('button', { name: 'Menu' }).click();

const update = (options: object): Promise<void> =>
  visit.page.evaluate((given) => {
    const { mounted } = globalThis as unknown as { mounted: ReturnType<typeof panelPage.mount> };
    mounted.update(given);
  }, options);

describe('where the panel stands', () => {
  it('the panel docks at each of the four sides, with its own size for each axis', async () => {
    await opened();
    const { panel, page } = visit;
    const splitter = panel.getByRole('separator');
    await splitter.focus();
    await page.keyboard.press('ArrowLeft');
    const width = (await panel.boundingBox())?.width;
    expect(width).toBe(484);
    const close = await panel.getByRole('button', { name: 'Close devtools' }).boundingBox();
    expect((close?.x ?? 0) + (close?.width ?? 0)).toBeLessThanOrEqual(1280);
    expect(close?.height).toBeLessThan(34);
    await menu();
    for (const [side, edge] of [
      ['bottom', 'bottom'],
      ['left', 'left'],
      ['top', 'top'],
    ] as const) {
      await panel.getByLabel('Dock side').selectOption(side);
      const box = await panel.boundingBox();
      const gap = {
        left: box?.x,
        top: box?.y,
        bottom: 860 - (box?.y ?? 0) - (box?.height ?? 0),
      }[edge];
      expect(gap, side).toBe(0);
      expect(side === 'left' ? box?.width : box?.height).toBe(side === 'left' ? 484 : 420);
    }
  });

  it('changes with the options after it was mounted, and keeps what was typed', async () => {
    await opened({ theme: 'light' });
    const { panel } = visit;
    const theme = (): Promise<string | null> => panel.locator('..').getAttribute('data-theme');
    await panel.getByLabel('Search everything').fill('Pariss');
    await update({ theme: 'dark', position: 'left' });
    await expect.poll(theme).toBe('dark');
    expect((await panel.boundingBox())?.x).toBe(0);
    expect(await panel.getByLabel('Search everything').inputValue()).toBe('Pariss');
  });

  it('the panel follows the theme of the page on request', async () => {
    await opened({ theme: 'page' });
    const { panel, page } = visit;
    const theme = (): Promise<string | null> => panel.locator('..').getAttribute('data-theme');
    for (const told of ['dark', 'light'] as const) {
      await page.evaluate((name) => (document.documentElement.dataset['theme'] = name), told);
      await expect.poll(theme).toBe(told);
    }
    await page.evaluate(() => {
      delete document.documentElement.dataset['theme'];
      document.documentElement.style.colorScheme = 'dark';
    });
    await expect.poll(theme).toBe('dark');
  });

  it('the panel is above a header of the highest z-index, and above dialogs that open later', async () => {
    await opened();
    const { page } = visit;
    const onTop = (): Promise<boolean> =>
      page.evaluate(() => {
        const panel = document.querySelector('[data-vitrine-devtools]');
        return document.elementFromPoint(innerWidth - 100, 200) === panel;
      });
    await page.evaluate(() => {
      const header = document.createElement('header');
      header.style.cssText = 'position: fixed; inset: 0; z-index: 2147483647; background: red';
      document.body.append(header);
    });
    expect(await onTop()).toBe(true);
    await page.evaluate(() => {
      const dialog = document.getElementById('dialog') as HTMLDialogElement;
      dialog.style.cssText = 'width: 100vw; height: 100vh; max-width: none; max-height: none';
      dialog.show();
      dialog.close();
      dialog.showModal();
    });
    // What is modal makes the panel inert, so that it is seen and not hit: its pixels tell.
    const picture = await page.screenshot({ clip: { x: 1180, y: 0, width: 60, height: 20 } });
    await page.evaluate(() => (document.getElementById('dialog') as HTMLDialogElement).close());
    expect(picture).toEqual(await page.screenshot({ clip: { x: 1180, y: 0, width: 60, height: 20 } }));
    expect(await onTop()).toBe(true);
  });

  it('the panel moves into its own window and returns unchanged', async () => {
    await opened();
    const { panel, page } = visit;
    await panel.getByRole('tab', { name: 'Events' }).click();
    const popup = await visit.ownWindow();
    const outside = popup.getByRole('region', { name: 'Vitrine devtools' });
    await outside.getByText(/^It finished after 2 steps/).waitFor();
    expect(await panel.count()).toBe(0);
    // The page has its room back, and no button in place of the panel.
    const room = (): Promise<string> =>
      page.evaluate(() => document.documentElement.style.getPropertyValue('--vitrine-devtools-right'));
    expect(['', '0px']).toContain(await room());
    expect(await page.getByRole('button', { name: 'Open Vitrine devtools' }).count()).toBe(0);
    expect(await outside.evaluate((element) => getComputedStyle(element).display)).toBe('flex');
    // The list is as long as there is room for it, and scrolls.
    await expect.poll(() => outside.locator('.event').count()).toBeGreaterThan(12);
    await page.evaluate(() => panelPage.add('another'));
    await outside.getByLabel('Session').waitFor();
    await popup.close();
    await panel.getByRole('tab', { name: 'Events', selected: true }).waitFor();
    expect((await panel.boundingBox())?.width).toBe(460);
    expect(await room()).toBe('460px');
    expect(await panel.evaluate((element) => getComputedStyle(element).position)).toBe('fixed');
  });

  it('a reload of the page closes the window of the panel, which is docked again and asks for no window', async () => {
    await opened();
    const { panel, page } = visit;
    const popup = await visit.ownWindow();
    await popup.getByRole('region', { name: 'Vitrine devtools' }).waitFor();
    await Promise.all([popup.waitForEvent('close'), page.reload()]);
    await page.locator('html[data-ready="yes"]').waitFor({ state: 'attached' });
    await page.evaluate(() => {
      Object.assign(globalThis, { asked: 0 });
      window.open = () => {
        Object.assign(globalThis, { asked: 1 });
        return null;
      };
      panelPage.mount();
    });
    await panel.getByText(/^No session on this page yet/).waitFor();
    expect(await page.evaluate('asked')).toBe(0);
  });

  it('the panel closes with the hotkey in its own window too', async () => {
    await opened();
    const { panel, page } = visit;
    const popup = await visit.ownWindow();
    await popup.getByRole('tab', { name: 'Events' }).click();
    // The window goes while the keys are still down.
    const pressed = popup.keyboard.press('Alt+Shift+V').catch(() => undefined);
    await Promise.all([popup.waitForEvent('close'), pressed]);
    await page.getByRole('button', { name: 'Open Vitrine devtools' }).waitFor();
    expect(await panel.count()).toBe(0);
  });

  it('the panel stays in place, and says so, when no window may be opened', async () => {
    await opened();
    await visit.page.evaluate(() => (window.open = () => null));
    await menu();
    await visit.panel.getByRole('button', { name: 'Own window' }).click();
    await visit.panel.getByText(/The browser blocked the window/).waitFor();
  });
});

describe('the keyboard', () => {
  it('the keyboard opens and closes the panel from anywhere, with configurable keys', async () => {
    await opened({ hotkey: 'Control+Shift+Y' });
    const { panel, page } = visit;
    await page.keyboard.press('Control+Shift+Y');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('y');
    await page.keyboard.press('Control+Shift+Y');
    await panel.getByText(/^It finished/).waitFor();
    await update({ hotkey: null });
    await page.waitForTimeout(200);
    await page.keyboard.press('Control+Shift+Y');
    await panel.getByText(/^It finished/).waitFor();
  });

  it('the hotkey leads into the panel, and back to the field of the page that had the focus', async () => {
    visit = await open({ html: '<input id="own" aria-label="A field of the page" />' });
    const { panel, page } = visit;
    await page.evaluate(() => void panelPage.mount({ initialIsOpen: false }));
    await page.getByRole('button', { name: 'Open Vitrine devtools' }).waitFor();
    const field = page.getByLabel('A field of the page');
    await field.focus();
    const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);
    await page.keyboard.press('Alt+Shift+V');
    await panel.getByText(/^No session on this page yet/).waitFor();
    await expect.poll(focused).not.toBe('own');
    await page.keyboard.press('Alt+Shift+V');
    await panel.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('own');
  });

  it('the key / leads to the search while the focus is in the panel, and writes itself in a field', async () => {
    await opened();
    const { panel, page } = visit;
    const field = panel.getByLabel('Search everything');
    await page.keyboard.press('/');
    await expect(field.evaluate((element) => element.matches(':focus'))).resolves.toBe(false);
    await panel.getByRole('tree', { name: 'Steps' }).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('Pa/');
    expect(await field.inputValue()).toBe('Pa/');
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
  });

  it('the command palette finds everything by its name', async () => {
    await opened();
    const { panel, page } = visit;
    await panel.getByRole('tree', { name: 'Steps' }).focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('show ev');
    await page.keyboard.press('Enter');
    await panel.getByRole('tab', { name: 'Events', selected: true }).waitFor();
    await menu();
    await panel.getByRole('button', { name: 'Commands' }).click();
    await page.keyboard.type('dock bot');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await panel.boundingBox())?.x).toBe(0);
    await menu();
    await panel.getByRole('button', { name: 'Commands' }).click();
    await page.keyboard.press('Escape');
    expect(await panel.getByRole('dialog').count()).toBe(0);
  });
});

describe('the way between the page and a step', () => {
  it('a link leads from a call on the page to its step, and back', async () => {
    await opened();
    const { panel, page } = visit;
    await page.evaluate(async () => {
      const session = await panelPage.bugs['wrong argument']?.();
      const { state } = session!.store.getState();
      const id = state.execution?.stepExecutions[0]?.step.toolExecutions[0]?.id ?? '';
      const said = state.context.store.sections.flatMap(({ messages }) => messages)[0]?.id ?? '';
      document.getElementById('chat')!.innerHTML =
        `<p data-vitrine-message="${said}">Please help</p>` +
        `<p data-vitrine-call="${id}" style="margin-top: 1500px"><b>weather</b></p>`;
    });
    await panel.getByLabel('Session').selectOption({ index: 1 });
    await menu();
    await panel.getByRole('button', { name: 'Inspect' }).click();
    await page.getByText('weather', { exact: true }).and(page.locator('b')).click();
    await panel.getByRole('tab', { name: 'Tools', selected: true }).waitFor();
    await panel.locator('.item[data-found="true"]').getByText('Pariss').first().waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await panel.getByRole('button', { name: 'Show in page' }).click();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(500);
    await page.evaluate(() => scrollTo(0, 0));
    await menu();
    await panel.getByRole('button', { name: 'Inspect' }).click();
    await page.getByText('Please help').first().click();
    await panel.getByRole('tab', { name: 'Sent', selected: true }).waitFor();
    await panel.locator('.item[data-found="true"]').getByText('Please help').waitFor();
  });
});

describe('a phone', () => {
  it('the list and the inspector are two pages on a phone, with the tabs below and the focus in sight', async () => {
    visit = await open({ html: chat, context: { viewport: { width: 390, height: 844 } } });
    const { panel, page } = visit;
    await page.evaluate(async () => {
      panelPage.mount();
      await panelPage.bugs['arguments changed by a hook']?.();
    });
    const steps = panel.getByRole('tree', { name: 'Steps' });
    const inspector = panel.getByRole('region', { name: 'Step 1' });
    await steps.waitFor();
    expect(await inspector.isVisible()).toBe(false);
    const tab = await panel.getByRole('tab', { name: 'Events' }).boundingBox();
    expect(tab!.y + tab!.height).toBe(844);
    // A line with the figures, the verdict and its finding; then data.
    const top = (await panel.boundingBox())!.y;
    expect((await steps.boundingBox())!.y - top).toBeLessThan(130);
    await panel.getByRole('button', { name: /^\d hints?$/ }).click();
    await panel.getByRole('button', { name: /^hint Hook "meddler"/ }).click();
    await inspector.getByRole('heading', { name: 'Before' }).waitFor();
    expect(await steps.isVisible()).toBe(false);
    expect((await inspector.boundingBox())!.height).toBeGreaterThan(300);
    await inspector.getByRole('button', { name: '‹ Back' }).click();
    await steps.waitFor();
    await steps.getByRole('treeitem').first().click();
    await inspector.waitFor();
    const focused = panel.locator(':focus');
    expect(await focused.innerText()).toBe('‹ Back');
    await page.keyboard.press('Enter');
    expect(await focused.getAttribute('role')).toBe('tree');
  });
});

describe('the button of the panel', () => {
  const phone = { viewport: { width: 390, height: 844 } };
  const composer = '<form id="own"><input aria-label="Ask"><button type="button">Go</button></form>';
  const fixed = '<style>#own { position: fixed; inset: auto 0 0; display: flex } input { flex: 1 }</style>';

  it.each(['bottom-right', 'bottom-left', 'top-right', 'top-left'] as const)(
    'a button in the corner %s covers no control of a page, wherever it moves, and returns when the corner is free',
    async (buttonPosition) => {
      const side = buttonPosition.startsWith('top') ? 'inset: 0 0 auto !important;' : '';
      visit = await open({ html: `${composer}${fixed}<style>#own { ${side} }</style>`, context: phone });
      const { page } = visit;
      await page.evaluate((options) => void panelPage.mount(options), {
        initialIsOpen: false,
        buttonPosition,
      });
      const opener = page.getByRole('button', { name: 'Open Vitrine devtools' });
      const heightOf = async (): Promise<number> => Math.round((await opener.boundingBox())!.y);
      const corner = buttonPosition.startsWith('top') ? 7 : 844 - 16 - 38;
      await expect.poll(heightOf).not.toBe(corner);
      const press = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Go' }).click();
        await page.getByRole('textbox', { name: 'Ask' }).click({ position: { x: 3, y: 3 } });
      };
      await press();
      // The composer grows.
      await page.evaluate(() => (document.getElementById('own')!.style.height = '300px'));
      await press();
      await page.evaluate(() => document.getElementById('own')!.remove());
      await expect.poll(heightOf).toBe(corner);
    },
  );

  it('a button finds the controls of a composer that is a web component', async () => {
    visit = await open({ html: '<div id="component"></div>', context: phone });
    const { page } = visit;
    await page.evaluate((html) => {
      document.getElementById('component')!.attachShadow({ mode: 'open' }).innerHTML = html;
      panelPage.mount({ initialIsOpen: false });
    }, composer + fixed);
    await page.getByRole('button', { name: 'Open Vitrine devtools' }).waitFor();
    await page.getByRole('button', { name: 'Go' }).click();
  });
});

describe('the direction of the texts', () => {
  it('a page that runs from right to left does not turn the panel around, and the panel turns when it is asked to', async () => {
    await opened();
    const { panel, page } = visit;
    const closing = async (): Promise<number> =>
      (await panel.getByRole('button', { name: 'Close devtools' }).boundingBox())!.x;
    const before = await closing();
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    expect(await closing()).toBe(before);
    await update({ direction: 'rtl' });
    await expect.poll(closing).toBeLessThan(before - 300);
    await panel.getByRole('tab', { name: 'Run' }).focus();
    await page.keyboard.press('ArrowLeft');
    await panel.getByRole('tab', { name: 'State', selected: true }).waitFor();
  });

  it('no style of the page for all elements cuts, turns or locks the panel', async () => {
    visit = await open({
      html: `<style>* { pointer-events: none !important; clip-path: circle(1px) !important; writing-mode: vertical-rl !important; filter: blur(9px) !important; }</style>`,
    });
    await visit.page.evaluate(async () => {
      panelPage.mount();
      await panelPage.bugs['wrong argument']?.();
    });
    await visit.panel.getByText(/^It finished after 2 steps/).waitFor();
    await visit.panel.getByRole('tab', { name: 'Events' }).click();
    await visit.panel.locator('.event').first().waitFor();
    const styles = await visit.page.evaluate(() => {
      const { pointerEvents, clipPath, writingMode, filter } = getComputedStyle(
        document.querySelector('[data-vitrine-devtools]') as Element,
      );
      return [pointerEvents, clipPath, writingMode, filter];
    });
    expect(styles).toEqual(['auto', 'none', 'horizontal-tb', 'none']);
  });
});
