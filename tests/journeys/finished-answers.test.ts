import type { Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { demoJourneys } from './demo-journeys.ts';

const demo = demoJourneys({ VITRINE_DEMO_PACE_MS: '2' });

it('the browser shows no finished answer as cancelled', async () => {
  const { page, conversation, say } = await demo.visit();
  const ended: string[] = [];
  const note = (request: Request): void => {
    if (!request.url().endsWith('/v1/inference')) return;
    ended.push(request.failure()?.errorText ?? 'finished');
  };
  page.on('requestfailed', note);
  page.on('requestfinished', note);
  for (const [question, answer] of [
    ['What is 12 * (3 + 4)?', 'The result is 84.'],
    ['What is 2 * 3?', 'The result is 6.'],
    ['What is 3 * 3?', 'The result is 9.'],
    ['What is 4 * 3?', 'The result is 12.'],
  ] as const) {
    await say(question);
    await conversation.getByText(answer).waitFor();
  }
  // Each answer takes two calls of the model: the tool call and the sentence.
  await expect.poll(() => ended).toEqual(Array.from({ length: 8 }, () => 'finished'));
});

it('an answer offers follow-ups, and a click sends one', async () => {
  const { conversation, say } = await demo.visit();
  await say('What is 2 * 3?');
  const offered = conversation.getByRole('group', { name: 'Suggestions' }).getByRole('button');
  await offered.first().waitFor();
  expect(await offered.allTextContents()).toEqual(['What time is it?', 'Calculate 7 * (8 + 1)']);
  expect(await conversation.innerText()).not.toContain('next>');
  await offered.last().click();
  await conversation.getByText('The result is 63.').waitFor();
  expect(await offered.allTextContents()).toEqual(['What time is it?', 'Show my notes']);
});

it('the browser shows no resumed answer as cancelled', async () => {
  const { page } = await demo.visit();
  const ended: string[] = [];
  page.on('requestfailed', (request) => {
    if (request.method() === 'GET' && request.url().includes('/v1/inference/'))
      ended.push(request.failure()?.errorText ?? 'failed');
  });
  page.on('requestfinished', (request) => {
    if (request.method() === 'GET' && request.url().includes('/v1/inference/')) ended.push('finished');
  });
  await page.evaluate(async () => {
    const message = {
      id: 'm',
      role: 'user',
      parts: [{ type: 'text', text: 'Hello' }],
      metadata: {},
      createdAt: 1,
      parentId: null,
    };
    const request = {
      model: null,
      messages: [message],
      tools: [],
      toolChoice: 'auto',
      responseFormat: null,
      settings: {},
    };
    const headers = { 'content-type': 'application/json' };
    const first = await fetch('/api/v1/inference', {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    });
    const id = first.headers.get('x-inference-id');
    if (!first.ok) throw new Error(await first.text());
    const again = await fetch(`/api/v1/inference/${id}`, { cache: 'no-store' });
    const reader = again.body!.getReader();
    while (!(await reader.read()).done);
    await first.text();
  });
  await expect.poll(() => ended).toEqual(['finished']);
});
