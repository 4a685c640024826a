import fc from 'fast-check';
import { expect, it } from 'vitest';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import { capped } from './capped.ts';
import { eventsOf, post, proxyOf } from './served.fixture.ts';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';

/** A body in pieces of a size; an endless one repeats the same piece. */
const sending = (text: string, size: number): Response => {
  const bytes = new TextEncoder().encode(text);
  return new Response(
    new ReadableStream<Uint8Array>({
      start(stream) {
        for (let at = 0; at < bytes.length; at += size) stream.enqueue(bytes.slice(at, at + size));
        stream.close();
      },
    }),
    { status: 207, headers: { 'x-kept': 'yes' } },
  );
};

it('an answer below the cap passes unchanged, however it is cut into pieces', async () => {
  const event = fc.stringMatching(/^data: [a-zé]{0,30}$/);
  const separator = fc.constantFrom('\n\n', '\r\n\r\n');
  const body = fc
    .tuple(fc.array(event, { maxLength: 20 }), separator)
    .map(([events, end]) => events.join(end));
  await fc.assert(
    fc.asyncProperty(body, fc.integer({ min: 1, max: 50 }), async (text, size) => {
      const response = capped(sending(text, size), 80);
      expect(await response.text()).toBe(text);
      expect([response.status, response.headers.get('x-kept')]).toEqual([207, 'yes']);
    }),
  );
});

it.each(['\n\n', '\r\n\r\n'])(
  'an event over the cap is broken off, also behind small ones (%j)',
  async (end) => {
    for (const size of [1, 7, 1000]) {
      const text = `data: a${end}`.repeat(50) + `data: b\n${'x'.repeat(90)}`;
      const response = capped(sending(text, size), 80);
      await expect(response.text()).rejects.toThrow('more than 80 bytes');
    }
  },
);

it('an upstream whose event never ends is left after the cap, not read for ever', async () => {
  let sent = 0;
  const piece = new TextEncoder().encode('x'.repeat(65_536));
  const own = globalThis.fetch;
  globalThis.fetch = async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new TextEncoder().encode(`${chunk('a')}data: `)),
      pull(stream) {
        sent += piece.length;
        stream.enqueue(piece);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  try {
    const env = { OPENAI_API_KEY: 'k', VITRINE_MODELS: 'openai:m', VITRINE_FRAME_BYTES: '1000000' };
    const [model] = modelsFromEnv(env);
    const events = eventsOf(await (await proxyOf(model!.client).fetch(post())).text());
    expect(events.at(-1)).toMatchObject({ type: 'error' });
    expect(sent).toBeLessThan(3_000_000);
  } finally {
    globalThis.fetch = own;
  }
});
