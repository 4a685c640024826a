import type { InferenceClient } from '@vitrine/core';
import { expect, it, vi } from 'vitest';
import { at, delta, eventsOf, post, proxyOf, puppet, textOf } from './served.fixture.ts';

it('running streams share a limit: the longest is ended, and the others continue', async () => {
  const [long, short] = [puppet(), puppet()];
  const models = [long, short];
  const client: InferenceClient = {
    stream: (asked, call) => (models.shift() ?? puppet()).stream(asked, call),
  };
  const proxy = proxyOf(client, { limits: { runningBytes: 10_000 } });
  const [first, second] = [await proxy.fetch(post()), await proxy.fetch(post())];
  await vi.waitFor(() => expect([long.open(), short.open()]).toEqual([1, 1]));
  short.say(delta('x'.repeat(3000)));
  long.say(delta('x'.repeat(4000)));
  long.say(delta('x'.repeat(4000)));
  expect(eventsOf(await textOf(first)).at(-1)).toMatchObject({ code: 'stream-too-long', retryable: true });
  // The space of the ended stream is free again.
  short.say(delta('x'.repeat(6000)));
  short.say({ type: 'finish', finishReason: 'stop' } as never);
  const events = eventsOf(await textOf(second));
  expect(events.map(({ type }) => type)).toEqual(['text-delta', 'text-delta', 'finish']);
  // The kept part of it counts among finished streams.
  const again = await proxy.fetch(at(second.headers.get('x-inference-id')));
  expect(eventsOf(await textOf(again))).toEqual(events);
});
