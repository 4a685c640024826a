import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { startDemo } from '../tests/journeys/demo-server.ts';
import { closeBrowser, visit, type Visitor } from '../tests/journeys/visitor.ts';
import { root } from './root.ts';

// The pictures of the README and the guide: npm run screenshots

type Picture = (page: Page, name: string) => Promise<void>;

const folder = `${root}/docs/screenshots`;
mkdirSync(folder, { recursive: true });
const server = await startDemo({ VITRINE_DEMO_PACE_MS: '2' });
for (const colorScheme of ['light', 'dark'] as const) {
  const picture: Picture = async (page, name) => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  };
  for (const take of [takeAssistant, takeData, takeResearch]) {
    const visitor = await visit(server.url, { colorScheme });
    // A busy machine takes its time for the two subagents.
    visitor.page.setDefaultTimeout(180_000);
    await take(visitor, picture);
    await visitor.context.close();
  }
}
await closeBrowser();
server.stop();

/** Takes the chat, every view of the panel, and both on a phone. */
async function takeAssistant({ page, conversation, say }: Visitor, picture: Picture): Promise<void> {
  const openTab = (name: string): Promise<void> =>
    page.getByRole('tab', { name, exact: true }).last().click();
  await page.getByRole('button', { name: 'Hide guide' }).click();
  await say('What is 12 * (3 + 4) and 5/2?');
  await conversation.getByText('The result is 2.5.').waitFor();
  await say('Show me some markdown');
  await conversation.getByText('A state is plain data').waitFor();
  await say('Remember that the demo is on Friday');
  await conversation.getByText(/Noted/).waitFor();
  await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
  await picture(page, 'demo');
  await openTab('Why');
  await picture(page, 'stop');
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByLabel('Dock side').selectOption('bottom');
  await page.keyboard.press('Escape');
  await page.getByRole('separator').focus();
  for (let taller = 0; taller < 12; taller++) await page.keyboard.press('ArrowUp');
  for (const name of ['Sent', 'Received', 'Tools', 'State']) {
    await openTab(name);
    await picture(page, name.toLowerCase());
  }
  await page.getByRole('tab', { name: 'State', exact: true }).first().click();
  await page.getByRole('button', { name: 'Fit View' }).click();
  await page
    .getByRole('button', { name: /add_note/ })
    .first()
    .waitFor();
  await picture(page, 'graph');
  await openTab('Events');
  await picture(page, 'events');
  await openTab('Trace');
  await page.getByRole('button', { name: 'Make a test' }).waitFor();
  await picture(page, 'trace');
  await openTab('Run');
  await page.getByRole('button', { name: 'Close devtools' }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  // The list of sessions moves out of the picture.
  await page.waitForTimeout(1000);
  await picture(page, 'phone');
  await page.getByRole('button', { name: 'Panel', exact: true }).click();
  // It opens at the step that was chosen before.
  await page.getByRole('button', { name: '‹ Back' }).click();
  await page.getByRole('tree', { name: 'Steps' }).waitFor();
  await picture(page, 'phone-panel');
}

/** Takes a file that is drawn in the browser. */
async function takeData({ page, conversation }: Visitor, picture: Picture): Promise<void> {
  await page.getByRole('radio', { name: /^Data agent/ }).check();
  await page.getByRole('button', { name: /^Draw the revenue by month/ }).click();
  await conversation.getByRole('img', { name: /^revenue by month/ }).waitFor();
  await page.waitForTimeout(1500);
  await picture(page, 'chart');
}

/** Takes two concurrent subagents, and an approval that can be edited. */
async function takeResearch({ page, say }: Visitor, picture: Picture): Promise<void> {
  await page.getByRole('radio', { name: /^Researcher/ }).check();
  await say('Research how budgets work');
  const card = page.getByRole('region', { name: 'May save_report run?' });
  await card.getByRole('button', { name: 'Edit' }).click();
  await card.getByRole('button', { name: 'Approve with these changes' }).waitFor();
  await picture(page, 'approval');
}
