import { mkdirSync } from 'node:fs';
import { startDemo } from '../tests/journeys/demo-server.ts';
import { closeBrowser, visit } from '../tests/journeys/visitor.ts';
import { root } from './root.ts';

// The pictures of the README: npm run screenshots

const folder = `${root}/docs/screenshots`;
mkdirSync(folder, { recursive: true });
const server = await startDemo({ VITRINE_DEMO_PACE_MS: '2' });
for (const colorScheme of ['light', 'dark'] as const) {
  const { page, conversation, say, context } = await visit(server.url, { colorScheme });
  await say('What is 12 * (3 + 4) and 5/2?');
  await conversation.getByText('The result is 2.5.').waitFor();
  await say('Show me some markdown');
  await conversation.getByText('A state is plain data').waitFor();
  await say('Remember that the demo is on Friday');
  await conversation.getByText(/Noted/).waitFor();
  await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${folder}/demo-${colorScheme}.png` });
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.screenshot({ path: `${folder}/stop-${colorScheme}.png` });
  await context.close();
}
await closeBrowser();
server.stop();
