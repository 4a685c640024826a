import { expect, it, vi } from 'vitest';
import type { InferenceEvent, InferenceRequest } from './inference-client.ts';

it('fails as a proxy that cannot be reached, and may be tried again, when its client cannot be loaded', async () => {
  vi.doMock('./proxy-client.ts', () => {
    throw new Error('offline');
  });
  const { proxyInference } = await import('./proxy-inference.ts');
  const { signal } = new AbortController();
  const events: InferenceEvent[] = [];
  const stream = proxyInference({ url: '/api' }).stream({} as InferenceRequest, { signal });
  for await (const event of stream) events.push(event);
  expect(events).toEqual([
    {
      type: 'error',
      code: 'proxy-unreachable',
      message: expect.stringContaining('cannot be loaded') as string,
      retryable: true,
      retryAfterMs: null,
    },
  ]);
});
