import { mkdirSync } from 'node:fs';
import { startDemo } from '../tests/journeys/demo-server.ts';
import { closeBrowser, visit } from '../tests/journeys/visitor.ts';
import { root } from './root.ts';

// The pictures of the README and the guide: npm run screenshots

const folder = `${root}/docs/screenshots`;
mkdirSync(folder, { recursive: true });
const server = await startDemo({ VITRINE_DEMO_PACE_MS: '2' });
for (const colorScheme of ['light', 'dark'] as const) {
  const { page, conversation, say, context } = await visit(server.url, { colorScheme });
  const picture = async (name: string): Promise<void> => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  };
  await page.getByRole('button', { name: 'No guide' }).click();
  await say('What is 12 * (3 + 4) and 5/2?');
  await conversation.getByText('The result is 2.5.').waitFor();
  await say('Show me some markdown');
  await conversation.getByText('A state is plain data').waitFor();
  await say('Remember that the demo is on Friday');
  await conversation.getByText(/Noted/).waitFor();
  await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
  await picture('demo');
  await page.getByRole('tab', { name: 'Why' }).click();
  await picture('stop');
  await page.getByLabel('Dock side').selectOption('bottom');
  await page.getByRole('separator').focus();
  for (let taller = 0; taller < 12; taller++) await page.keyboard.press('ArrowUp');
  for (const name of ['Sent', 'State']) {
    await page.getByRole('tab', { name }).click();
    await picture(name.toLowerCase());
  }
  await page.getByRole('tab', { name: 'Graph' }).click();
  await page
    .getByRole('button', { name: /add_note/ })
    .first()
    .waitFor();
  await picture('graph');
  await page.getByRole('button', { name: 'Close devtools' }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  // The list of sessions moves out of the picture.
  await page.waitForTimeout(1000);
  await picture('phone');
  await context.close();
}
await closeBrowser();
server.stop();
