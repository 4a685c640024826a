import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Puts a chat of CopilotKit through what an interface does with a session: text, three steps, parallel calls, an approval,
 * stop, an error, a second turn, and two reloads.
 */
export async function eightScenarios(page: Page): Promise<void> {
  const chat = page.getByTestId('copilot-chat');
  const answers = chat.getByTestId('copilot-assistant-message');
  const calls = chat.getByTestId('copilot-tool-render');
  const say = async (text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
    await chat.getByTestId('copilot-user-message').filter({ hasText: text }).waitFor();
  };

  await say('Hello, who is it?');
  await expect.poll(() => answers.last().innerText()).toContain('Hello there');
  const count = await calls.count();
  await say('Go in three steps');
  await expect.poll(() => calls.count()).toBe(count + 2);
  await say('Compare both cities');
  await expect.poll(() => calls.count()).toBe(count + 4);
  await expect
    .poll(() => chat.getByTestId('copilot-tool-render-status').allInnerTexts())
    .not.toContain('Running');

  await say('Write an email to Ann');
  await chat.getByText('Send this email to Ann?').waitFor();
  await page.reload();
  // By keyboard: an open panel covers the end of the page.
  await chat.getByRole('button', { name: 'Approve' }).press('Enter');
  await expect.poll(() => calls.last().innerText()).toMatch(/send_email\s+Done/);
  await expect.poll(() => answers.last().innerText()).toContain('Hello there');
  expect(await calls.count()).toBe(count + 5);

  await say('Answer slowly');
  await expect.poll(() => answers.last().innerText()).toContain('word word');
  await page.reload();
  await expect
    .poll(() => answers.last().innerText(), { timeout: 30_000 })
    .toMatch(/^(word ){200}Hello there$/);
  await say('Answer slowly again');
  await expect.poll(() => answers.last().innerText()).toMatch(/^word word/);
  await chat.getByTestId('copilot-send-button').press('Enter');

  await say('Please fail');
  await page.getByRole('alert').filter({ hasText: 'The model provider failed' }).waitFor();
  await say('Hello again');
  await expect.poll(() => answers.last().innerText()).toContain('Hello there');
}
