import { describe, expect, it } from 'vitest';
import { panelJourneys } from '../../journeys/panel-page/panel-journeys.ts';

declare global {
  var showInTanStack: () => void;
}

const open = panelJourneys('peers/panel-page');

describe('the panel in TanStack Devtools', () => {
  it('the panel exists once under StrictMode, follows the theme, and keeps typed text', async () => {
    const { page, panel } = await open();
    await page.evaluate(async () => {
      showInTanStack();
      await panelPage.bugs['wrong argument']?.();
    });
    await panel.getByText(/^It finished after 2 steps/).waitFor();
    expect(await page.locator('[data-vitrine-devtools]').count()).toBe(1);
    const theme = (): Promise<string | null> => panel.locator('..').getAttribute('data-theme');
    expect(await theme()).toBe('dark');
    await panel.getByLabel('Search everything').fill('Pariss');
    await page.getByTestId('tsd-tab-settings').click();
    await page.getByTestId('settings-workspace').locator('select').first().selectOption('light');
    await page.getByTestId('tsd-tab-plugins').click();
    await expect.poll(theme).toBe('light');
    expect(await panel.getByLabel('Search everything').inputValue()).toBe('Pariss');
    await panel.getByRole('listbox', { name: 'Found' }).getByRole('option').first().waitFor();
    expect(await page.locator('[data-vitrine-devtools]').count()).toBe(1);
  });
});
