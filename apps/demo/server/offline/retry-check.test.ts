import { Message, type InferenceEvent, type InferenceRequest } from '@vitrine/core';
import { expect, it } from 'vitest';
import { createRetryCheck } from './retry-check.ts';
import { offlineModel } from '@vitrine/proxy/offline';
import { demoReplies } from './replies.ts';

const request = (...said: string[]): InferenceRequest => ({
  model: null,
  messages: said.map((text) => Message.user(text)),
  tools: [],
  toolChoice: 'auto',
  responseFormat: null,
  settings: {},
});

it('a simulated error ends with a retry, whatever others ask meanwhile, and returns for a new request', async () => {
  const { client } = offlineModel({ paceMs: 0, replies: demoReplies() });
  const lastOf = async (...said: string[]): Promise<InferenceEvent['type'] | undefined> => {
    const events: InferenceEvent[] = [];
    const { signal } = new AbortController();
    for await (const event of client.stream(request(...said), { signal, inferenceId: 'x' }))
      events.push(event);
    return events.at(-1)?.type;
  };
  const mine = ['Simulate an error'];
  const other = ['Hello', 'Simulate an error'];
  expect(await lastOf(...mine)).toBe('error');
  expect(await lastOf(...other)).toBe('error');
  expect(await lastOf(...mine)).toBe('finish');
  expect(await lastOf(...other)).toBe('finish');
  expect(await lastOf(...mine)).toBe('error');
  for (let time = 0; time < 3; time++) expect(await lastOf('Simulate a permanent error')).toBe('error');
});

it('a failure is forgotten after a while, and when there are many others', () => {
  let now = 0;
  const isRetry = createRetryCheck(() => now);
  expect(isRetry(request('a'))).toBe(false);
  now = 120_000;
  expect(isRetry(request('a'))).toBe(false);
  for (let other = 0; other < 200; other++) isRetry(request(`${other}`));
  expect(isRetry(request('a'))).toBe(false);
});
