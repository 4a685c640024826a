import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({}, { isLive: true });

it('where another session is shown in the same place it is read from its end, wherever the last one was read', async () => {
  const { page } = await demo.visit();
  const file = `/@fs${root}/tests/journeys/page/show-two-sessions.tsx`;
  await page.evaluate(`import(${JSON.stringify(file)}).then((it) => it.showTwoSessions())`);
  const end = page.getByRole('button', { name: 'Jump to the latest message' });
  await page.getByText('One 59').waitFor();
  await page.getByRole('region', { name: 'Conversation' }).hover();
  await page.mouse.wheel(0, -600);
  await end.waitFor();
  await page.getByRole('button', { name: 'The other session' }).click();
  const last = page.getByText('Two 59');
  await last.waitFor();
  await expect.poll(() => end.count()).toBe(0);
  expect(await page.evaluate(`document.querySelector('.vitrine-scroller').scrollTop`)).toBeGreaterThan(600);
});
