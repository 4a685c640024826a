import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel, ModelStreamReader } from '@vitrine/core/ai-sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frame, recordedStreams, writtenStreams } from '../../../../../tests/upstream/provider-streams.ts';
import { proveRuns } from '../../stream/served.fixture.ts';
import { answering, cut, events, later, say, type Wire } from './answers.fixture.ts';
import type { Part } from './shortcut.ts';
import { shortcutStream } from './shortcut-stream.ts';
import { withShortcut } from './with-shortcut.ts';

type Connect = (access: { fetch: typeof fetch }) => (name: string) => LanguageModel;

const packages: Record<Wire, Connect> = {
  'openai-compatible': ({ fetch }) =>
    createOpenAICompatible({ name: 'p', baseURL: 'http://p', includeUsage: true, fetch }),
  anthropic: ({ fetch }) => createAnthropic({ apiKey: 'k', fetch }),
};

async function partsOf(model: LanguageModel): Promise<readonly unknown[]> {
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  const parts: unknown[] = [];
  try {
    const reader = (await model.doStream({ prompt })).stream.getReader();
    if (reader.readDirect) await readDirect(reader.readDirect, (part) => parts.push(told(part)));
    else
      for (let read = await reader.read(); !read.done; read = await reader.read())
        parts.push(told(read.value));
  } catch (error) {
    parts.push(String(error));
  }
  return parts;
}

/** Asks for the next part from within the callback that receives one. */
function readDirect(
  read: NonNullable<ModelStreamReader<Part>['readDirect']>,
  take: (part: Part) => unknown,
): Promise<void> {
  return new Promise((resolve, reject) => {
    function next(): void {
      read(({ done, value }) => {
        if (done) return resolve();
        take(value);
        next();
      }, reject);
    }
    next();
  });
}

/** Errors are compared by their messages, because their causes have no stable order. */
const told = (part: Part & { error?: unknown }): unknown =>
  part.type === 'error' ? { type: 'error', error: JSON.stringify(part.error) ?? String(part.error) } : part;

const short = (wire: Wire, fetch: typeof globalThis.fetch, name = 'm'): LanguageModel =>
  withShortcut({ connect: packages[wire], fetch, frameBytes: 100_000 })(name);

const sizes = fc.oneof(
  fc.constant([100_000]),
  fc.array(fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 401, max: 2000 })), {
    minLength: 1,
    maxLength: 8,
  }),
);

describe.each(['openai-compatible', 'anthropic'] as const)('an answer of %s', (wire) => {
  it('the answer is the same, part by part, as without the shortcut', async () => {
    const one = fc.record({
      says: fc.array(say, { maxLength: 8 }),
      sizes,
      isWhole: fc.boolean(),
      fails: fc.boolean(),
      isDirect: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(one, async ({ says, sizes: wanted, isWhole, fails, isDirect }) => {
        const sent = events[wire](says).join('');
        const end = isWhole ? sent.length : Math.floor(sent.length / 2);
        const fetch = answering(cut(sent.slice(0, end), wanted), fails && !isWhole, isDirect);
        const plain = await partsOf(packages[wire]({ fetch })('m'));
        const parts = await partsOf(short(wire, fetch));
        // A failing answer loses parts that nobody has read; predicted parts are not lost.
        if (fails && !isWhole) expect(texts(parts).startsWith(texts(plain))).toBe(true);
        else expect(parts).toEqual(plain);
      }),
      { numRuns: proveRuns(150) },
    );
  });

  it('a long answer is read by the package in few events, and its parts arrive at once', async () => {
    const says = [{ kind: 'text', text: 'word', escaped: false, spaced: false, times: 400 }];
    const sent = events[wire](says);
    let read = '';
    const counted: Connect = ({ fetch: inner }) =>
      packages[wire]({
        fetch: async (...request) => {
          const answer = await inner(...request);
          const count = new TransformStream<Uint8Array, Uint8Array>({
            transform(bytes, out) {
              read += new TextDecoder().decode(bytes);
              out.enqueue(bytes);
            },
          });
          return new Response(answer.body?.pipeThrough(count), answer);
        },
      });
    // Without its end, only the end of the answer makes the package read on.
    const pieces = sent
      .slice(0, 380)
      .map((event) => ({ bytes: new TextEncoder().encode(event), isLater: true }));
    const model = withShortcut({ connect: counted, fetch: answering(pieces, false), frameBytes: 10_000 })(
      'm',
    );
    const parts = (await partsOf(model)) as Part[];
    const words = sent.slice(0, 380).filter((event) => event.includes('word')).length;
    expect(words).toBeGreaterThan(300);
    expect(parts.filter(({ type }) => type === 'text-delta')).toHaveLength(words);
    expect(read.split('word')).toHaveLength(words + 1);
    expect(read.split('\n\n').length).toBeLessThan(12);
  });

  it('the answer arrives although nothing follows it, and is cancelled when its reader leaves', async () => {
    const says = [{ kind: 'text', text: 'word', escaped: false, spaced: false, times: 30 }];
    const sent = events[wire](says).filter(
      (event) => !/"stop"|_stop|\[DONE\]|usage":\{"prompt|message_delta/.test(event),
    );
    let out: ReadableStreamDefaultController<Uint8Array> | undefined;
    let left: unknown = null;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => void (out = stream),
      cancel: (reason) => void (left = reason),
    });
    const push = (event: string): void => out?.enqueue(new TextEncoder().encode(event));
    const model = short(wire, async () => new Response(body));
    const opening = model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] });
    const isDelta = (event: string): boolean => event.includes('word');
    for (const event of sent.filter((one) => !isDelta(one))) push(event);
    const reader = (await opening).stream.getReader();
    for (const event of sent.filter(isDelta)) {
      push(event);
      let read = await reader.read();
      while (read.value?.type !== 'text-delta') read = await reader.read();
      expect(event).toContain(read.value.delta);
    }
    await reader.cancel('enough');
    expect(left).toBe('enough');
  });
});

it('the answer reports a package that fails while parts are predicted', async () => {
  const controllers: ReadableStreamDefaultController[] = [];
  const open = <Value>(): ReadableStream<Value> =>
    new ReadableStream<Value>({ start: (stream) => void controllers.push(stream) });
  const { body, parts } = shortcutStream(open<Uint8Array>(), 1000);
  const reader = parts(open<Part>()).getReader();
  const [answer, made] = controllers;
  const send = (delta: string): void =>
    answer?.enqueue(new TextEncoder().encode(`data: {"a":"${delta}"}\n\n`));
  const fed = body.getReader();
  for (const delta of ['b', 'c']) {
    const read = reader.read();
    send(delta);
    await fed.read();
    for (const part of [{ type: 'raw' }, { type: 'text-delta', delta }]) made?.enqueue(part);
    expect((await read).value).toEqual({ type: 'text-delta', delta });
  }
  const read = reader.read();
  send('d');
  await later();
  made?.error(new Error('broken'));
  expect((await read).value).toEqual({ type: 'text-delta', delta: 'd' });
  await later();
  await expect(Promise.race([reader.read(), later().then(later)])).rejects.toThrow('broken');
});

it('the answer gives a package everything that is no event unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'é', '\n', '\r\n', 'data: ', ': c\n\n', '\ufeff', '😀')),
      sizes,
      async (sent, wanted) => {
        const answer = await answering(cut(sent.join(''), wanted), false)('http://p');
        const { body } = shortcutStream(answer.body!, 1000);
        expect(await new Response(body).bytes()).toEqual(await new Response(sent.join('')).bytes());
      },
    ),
  );
});

const texts = (parts: readonly unknown[]): string =>
  (parts as Part[]).map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('');

const streams = [...writtenStreams(), ...recordedStreams().flatMap(({ stream }) => stream ?? [])];

it.each(
  streams.flatMap((stream) =>
    stream.wire === 'openai-compatible' || stream.wire === 'anthropic'
      ? [[stream.name, stream.wire, frame(stream)] as const]
      : [],
  ),
)('the answer %s is the same as without the shortcut, whole and in pieces', async (_name, wire, sent) => {
  for (const size of [100_000, 97, 3]) {
    const fetch = answering(cut(sent, [size]), false, size === 97);
    expect(await partsOf(short(wire, fetch))).toEqual(await partsOf(packages[wire]({ fetch })('m')));
  }
});
