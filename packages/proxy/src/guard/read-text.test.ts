import { describe, expect, it } from 'vitest';
import { readText } from './read-chunks.ts';

const limits = { maxBytes: 200_000, maxMs: 200 };

const asked = (body: BodyInit | null, length?: number): Request =>
  new Request('http://p', {
    method: 'POST',
    body,
    duplex: 'half',
    ...(length === undefined ? {} : { headers: { 'content-length': `${length}` } }),
  } as RequestInit);

const hanging = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (out) => out.enqueue(new TextEncoder().encode('{')) });

describe.each([
  ['announced', (text: string) => new TextEncoder().encode(text).length],
  ['not announced', () => undefined],
])('a body whose length is %s', (_how, lengthOf) => {
  it.each(['', '{"a":"zwölf 😀"}', 'x'.repeat(100_000)])('the body is read whole', async (text) => {
    const bytes = new TextEncoder().encode(text).length;
    expect(await readText(asked(text, lengthOf(text)), limits)).toEqual({ text, bytes });
  });

  it('the body has to be UTF-8', async () => {
    const body = new Uint8Array([0x22, 0xc3, 0x22]);
    expect(await readText(asked(body, lengthOf('abc')), limits)).toMatchObject({ refused: 'unreadable' });
  });

  it('the body has to arrive in time', async () => {
    const read = await readText(asked(hanging(), lengthOf('{}')), limits);
    expect(read).toMatchObject({ refused: 'too-slow' });
  });

  it('the body must not be too large', async () => {
    const text = 'x'.repeat(200_001);
    expect(await readText(asked(text, lengthOf(text)), limits)).toMatchObject({ refused: 'too-large' });
  });
});

it.each([1, 50])('a body that is longer than its announced length must not be too large', async (length) => {
  const text = 'x'.repeat(1001);
  expect(await readText(asked(text, length), { ...limits, maxBytes: 1000 })).toEqual({
    refused: 'too-large',
    bytes: 1001,
  });
});
