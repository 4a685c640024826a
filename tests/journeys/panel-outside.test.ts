import { expect, it } from 'vitest';
import { panelFaults } from './axe-faults.ts';
import { panelJourneys } from './panel-page/panel-journeys.ts';

const open = panelJourneys();

it.each(['light', 'dark'] as const)(
  'changes outside of steps have rows that the keyboard opens and leaves on a phone, in %s',
  { timeout: 120_000 },
  async (colorScheme) => {
    const { page, panel } = await open({ context: { colorScheme, viewport: { width: 390, height: 844 } } });
    await page.evaluate(async () => {
      panelPage.mount();
      await panelPage.add('walker');
      const session = panelPage.agents.get('walker');
      const note = async (shown: number): Promise<void> =>
        void (await session?.update((state) => ({
          ...state,
          context: { ...state.context, metadata: { ...state.context.metadata, shown } },
        })));
      await note(2);
      await session?.sendMessage('And now?');
      await note(3);
    });
    const rows = panel.getByRole('tree', { name: 'Steps' }).getByRole('treeitem');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([
        expect.stringMatching(/^Before the first step\s*app$/),
        expect.stringMatching(/answer/),
        expect.stringMatching(/^After the last step\s*app$/),
      ]);
    const scroll = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    await panel.getByRole('tree', { name: 'Steps' }).focus();
    for (const [key, name, change] of [
      ['Home', 'Before the first step', /shown added: 2 written by app/],
      ['End', 'After the last step', /shown 2 → 3 written by app/],
    ] as const) {
      await page.keyboard.press(key);
      await page.keyboard.press('Enter');
      const inspector = panel.getByRole('region', { name });
      await inspector.getByText(change).waitFor();
      expect(await panelFaults(page)).toEqual([]);
      expect(await scroll()).toBeLessThanOrEqual(390);
      await page.keyboard.press('Enter');
      await inspector.waitFor({ state: 'hidden' });
      expect(await rows.nth(key === 'Home' ? 0 : 2).getAttribute('aria-selected')).toBe('true');
    }
  },
);
