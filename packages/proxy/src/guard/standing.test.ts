import { scriptedInference } from '@vitrine/testing';
import { Usage } from '@vitrine/core';
import { expect, it, vi } from 'vitest';
import { post, proxyOf } from '../stream/served.fixture.ts';

it('every answer tells what is left of the quotas, a refused one too', async () => {
  const model = scriptedInference([{ text: 'Hi', usage: Usage.of({ inputTokens: 10, outputTokens: 2 }) }]);
  const proxy = proxyOf(model, {
    quotas: { requests: { points: 2, seconds: 60 }, cost: { points: 20_000, seconds: 3600 } },
    allowedOrigins: ['https://chat.example'],
  });
  const told: unknown[] = [];
  for (let at = 0; at < 3; at++) {
    const answer = await proxy.fetch(post({ origin: 'https://chat.example' }));
    told.push([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/ratelimit,\s*ratelimit-policy/i);
    await answer.text();
    // The reported usage settles the cost.
    await vi.waitFor(() => Promise.resolve());
  }
  const policy = '"requests";q=2;w=60, "cost";q=20000;w=3600';
  expect(told).toEqual([
    [200, expect.stringMatching(/^"requests";r=1;t=60, "cost";r=11\d{3};t=3600$/), policy],
    [200, expect.stringMatching(/^"requests";r=0;t=60, "cost";r=11\d{3};t=3600$/), policy],
    [429, '"requests";r=0;t=60', '"requests";q=2;w=60'],
  ]);
});

it('an answer without quotas has no headers about them', async () => {
  const answer = await proxyOf(scriptedInference([{ text: 'Hi' }])).fetch(post());
  expect([answer.headers.has('ratelimit'), answer.headers.has('ratelimit-policy')]).toEqual([false, false]);
  await answer.text();
});
