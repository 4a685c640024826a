import { type InferenceEvent, isAgentError, Usage } from '@vitrine/core';
import { expect, it } from 'vitest';
import type { InferenceProxy } from '../inference-proxy.ts';
import { post, proxyOf } from '../stream/served.fixture.ts';
import { createQuotas, type QuotaOptions } from './quotas.ts';

const finish: InferenceEvent = { type: 'finish', finishReason: 'stop', usage: Usage.of({ outputTokens: 3 }) };

const proxyWith = (quotas: QuotaOptions): InferenceProxy =>
  proxyOf(
    {
      async *stream() {
        yield finish;
      },
    },
    { quotas },
  );

it.each([30 * 24 * 60 * 60, Infinity])(
  'a quota of %d seconds is refused, because memory cannot count for so long',
  (seconds) => {
    for (const name of ['requests', 'cost'] as const) {
      const thrown = (() => {
        try {
          return createQuotas({ [name]: { points: 1, seconds } });
        } catch (error) {
          return error;
        }
      })();
      expect(isAgentError(thrown, 'agent-invalid')).toBe(true);
      expect(String(thrown)).toMatch(
        new RegExp(`quotas.${name} counts for ${seconds} seconds; .*24\\.8 days`),
      );
    }
  },
);

it('a quota of the longest time that memory counts for holds', async () => {
  const proxy = proxyWith({ requests: { points: 1, seconds: 2_147_483 } });
  expect((await proxy.fetch(post())).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await proxy.fetch(post())).status).toBe(429);
});

it('an answer that may cost more than there ever is gets no time to come back at', async () => {
  const proxy = proxyWith({ cost: { points: 5000, seconds: 60 } });
  const refused = await proxy.fetch(post());
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
  expect(await refused.json()).toMatchObject({
    code: 'quota-exceeded',
    retryable: false,
    detail: expect.stringMatching(/may cost 8\d{3} points, and your quota is 5000 in all/),
  });
});
