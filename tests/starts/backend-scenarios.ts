import type { Locator, Page } from 'playwright-core';

/**
 * Puts a chat over a backend through three steps, parallel calls, an approval, stop, an error and another turn. Each is
 * looked at in the panel too.
 */
export async function backendScenarios(page: Page, panel: Locator): Promise<void> {
  const say = async (text: string, verdict: RegExp): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
    await panel.getByText(verdict).waitFor();
  };
  // By keyboard: an open panel covers the end of the page.
  const press = (name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().press('Enter');
  await panel.getByRole('tab', { name: 'Run', exact: true }).click();
  const steps = panel.getByRole('tree', { name: 'Steps' });

  await say('Go in three steps', /^It finished after 3 steps/);
  await say('Compare both cities', /^It finished after 2 steps/);
  await steps.getByText('get_weather, get_weather').waitFor();

  await say('Write an email to Ann', /^It waits for your approval of a tool call/);
  await page.getByText('Send this email to Ann?').first().waitFor();
  await press('Approve');
  await panel.getByText(/^It finished after 2 steps/).waitFor();
  await steps.getByText('send_email').first().waitFor();
  await page.getByText('sent to Ann').first().waitFor();

  await say('Answer slowly', /^It has not stopped/);
  await page.getByText('word word').first().waitFor();
  await press('Stop');
  await panel.getByText(/^It was stopped after 1 step because a person asked for it/).waitFor();

  await say('Please fail', /^It failed after 1 step because of an error/);
  await page.getByRole('alert').filter({ hasText: 'model runner has unexpectedly stopped' }).waitFor();
  await say('Hello again', /^It finished after 1 step/);
}
