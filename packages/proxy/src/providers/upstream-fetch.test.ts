import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventsOf, post, proxyOf } from '../stream/served.fixture.ts';
import { checkedAnswers } from './upstream-fetch.ts';
import { modelsFromEnv } from './models-from-env.ts';
import { chunk } from '../../../../tests/upstream/chat-chunk.ts';

/**
 * An answer with this text in pieces of a size, which may have 80 bytes without a blank line. Its connection closes
 * after the text, or breaks.
 */
const checked = (text: string, size: number, breaks = false): Promise<Response> => {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      if (at < bytes.length) stream.enqueue(bytes.slice(at, (at += size)));
      else if (breaks) stream.error(new Error('broken'));
      else stream.close();
    },
  });
  const answer = new Response(body, { status: 207, headers: { 'x-kept': 'yes' } });
  return checkedAnswers(async () => answer, 80)('http://localhost');
};

it.each([
  'data: [DONE]',
  'data: [DONE]\r\n\r\n',
  'event: response.completed\ndata: {"type":"response.completed"}\n\n',
  'event: response.failed\r\ndata: {"type":"response.failed"}\r\n\r\n',
])('an answer whose connection breaks after %j is complete, however it is cut', async (last) => {
  const text = `data: {"text":"event: response.completed"}\n\n${last}`;
  for (let size = 1; size <= text.length; size++)
    expect(await (await checked(text, size, true)).text()).toBe(text);
});

it.each(['', 'event: response.completed\ndata: {"type":', ': [DONE]\n\n', 'data: "data: [DONE]"\n\n'])(
  'an answer whose connection breaks after %j fails, however it is cut',
  async (last) => {
    const text = `event: response.created\ndata: {}\n\n${last}`;
    for (let size = 1; size <= text.length; size++)
      await expect((await checked(text, size, true)).text()).rejects.toThrow('broken');
  },
);

it('an answer below the cap passes unchanged, however it is cut into pieces', async () => {
  const event = fc.stringMatching(/^data: [a-zé]{0,30}$/);
  const separator = fc.constantFrom('\n\n', '\r\n\r\n');
  const body = fc
    .tuple(fc.array(event, { maxLength: 20 }), separator)
    .map(([events, end]) => events.join(end));
  await fc.assert(
    fc.asyncProperty(body, fc.integer({ min: 1, max: 50 }), async (text, size) => {
      const response = await checked(text, size);
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
      const response = await checked(text, size);
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
