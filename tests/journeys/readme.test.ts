import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '8' }, { isLive: true });

// Inside the repository, so that the page may load it.
const work = `${root}/tests/journeys/.readme`;
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** A page of nothing but the example of the README, as it stands there, and the calls of the model that it makes. */
async function openExample(): Promise<{ readonly page: Page; readonly asked: readonly string[] }> {
  const code = /```tsx\n([\s\S]*?)```/.exec(readFileSync(`${root}/README.md`, 'utf8'))?.[1] ?? '';
  mkdirSync(work, { recursive: true });
  writeFileSync(
    `${work}/example.tsx`,
    `import { createRoot } from 'react-dom/client';
${code}
export function show() {
  const container = document.createElement('div');
  document.body.replaceChildren(container);
  createRoot(container).render(<Chat />);
}`,
  );
  const { page } = await demo.visit();
  await page.evaluate(`import(${JSON.stringify(`/@fs${work}/example.tsx`)}).then((it) => it.show())`);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(new URL(request.url()).pathname);
  });
  return { page, asked };
}

it('the example of the README answers when Send is pressed, and again, and sends nothing without a text', async () => {
  const { page, asked } = await openExample();
  const field = page.getByLabel('Message');
  await page.getByRole('button', { name: 'Send' }).click();
  await field.fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(/You said: “Hello”/).waitFor();
  await page.getByText('completed').waitFor();
  expect(await field.inputValue()).toBe('');
  await field.fill('Good bye');
  await field.press('Enter');
  await page.getByText(/You said: “Good bye”/).waitFor();
  expect(asked).toEqual(['/api/v1/inference', '/api/v1/inference']);
});

it('its Stop ends the answer, keeps what was said, and sends nothing', async () => {
  const { page, asked } = await openExample();
  await page.getByLabel('Message').fill('Write a long answer');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('An agent is a loop around a model.').first().waitFor();
  const stop = page.getByRole('button', { name: 'Stop' });
  await stop.click();
  await page.getByText('user-requested').waitFor();
  expect(await stop.isDisabled()).toBe(true);
  // Those of the example: the panel of the demo stands beside it.
  const texts = (): Promise<string[]> => page.locator('form p').allInnerTexts();
  const said = await texts();
  expect(said.length).toBe(2);
  await page.waitForTimeout(500);
  expect(await texts()).toEqual(said);
  expect(asked).toEqual(['/api/v1/inference']);
});
