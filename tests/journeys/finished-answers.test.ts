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
