import fc from 'fast-check';
import { fromLanguageModel } from '@vitrine/ai-sdk';
import { expect, it } from 'vitest';
import { request } from '../../../../tests/upstream/plain-request.ts';
import type { ProviderStream } from '../../../../tests/upstream/provider-stream.ts';
import { recordedStreams, writtenStreams } from '../../../../tests/upstream/provider-streams.ts';
import { proveRuns } from '../stream/served.fixture.ts';
import { readableAnswers } from './answer-frames.ts';
import { providers } from './providers.ts';

const streams = [
  ...writtenStreams(),
  ...recordedStreams().flatMap(({ stream }) => (stream === null ? [] : [stream])),
].filter(({ expected }) => (expected.text ?? '') !== '' && expected.errorCode === undefined);

/** A frame of the stream, and whether it is one of the provider. */
type Sent = { readonly text: string; readonly isOwn: boolean };

/** Frames that no provider sends, as gateways and signs of life put them between others. */
const foreign = [
  'data:\n\n',
  'data: \n\n',
  'event: ping\ndata: {}\n\n',
  ': still here\n\n',
  'data: null\n\n',
  'data: 17\n\n',
  'data: []\n\n',
  'data: {"choices":[\n\n',
  'data: {"type":"vendor.hint","at":1}\n\n',
  'event: vendor\ndata: {"progress":0.5}\n\n',
  'data: {"type":"content_block_start","index":99,"content_block":{"type":"vendor"}}\n\n',
  'retry: 3000\n\n',
];

/** Changes the type of the value at a place of JSON, chosen by a number. */
function retyped(value: unknown, choice: number): unknown {
  const places: { readonly holder: Record<string, unknown>; readonly key: string }[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      places.push({ holder: next as Record<string, unknown>, key });
      open.push(inner);
    }
  }
  const place = places[choice % Math.max(1, places.length)];
  if (place === undefined) return value;
  const before = place.holder[place.key];
  const others = [null, 7, '7', true, [before], { before }];
  place.holder[place.key] = others[choice % others.length];
  return value;
}

/** The frames of a stream as its provider sends them. */
function framesOf({ wire, chunks }: ProviderStream): readonly Sent[] {
  return chunks.map((chunk) => {
    const { type } = JSON.parse(chunk) as { type?: string };
    const isNamed = (wire === 'anthropic' || wire === 'openai') && type !== undefined;
    return { text: `${isNamed ? `event: ${type}\n` : ''}data: ${chunk}\n\n`, isOwn: true };
  });
}

/** The texts that a chunk says, in every protocol. */
function saidIn(chunk: string): readonly string[] {
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire formats of four providers, read as they come
  const value: any = JSON.parse(chunk.slice(chunk.indexOf('data: ') + 6));
  const said: unknown[] = [
    ...(value.choices ?? []).map(({ delta }: { delta?: { content?: unknown } }) => delta?.content),
    ...(value.type === 'content_block_delta' ? [value.delta.text] : []),
    ...(value.type === 'response.output_text.delta' ? [value.delta] : []),
    ...(value.candidates?.[0]?.content?.parts ?? []).map((part: { text?: string; thought?: boolean }) =>
      part.thought === true ? '' : part.text,
    ),
  ];
  return said.filter((text): text is string => typeof text === 'string' && text !== '');
}

type Damage =
  | { readonly kind: 'insert'; readonly at: number; readonly frame: string }
  | { readonly kind: 'double'; readonly at: number }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'retype'; readonly at: number; readonly choice: number };

const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), frame: fc.constantFrom(...foreign) }),
    fc.record({ kind: fc.constant('double' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('retype' as const), at: fc.nat(), choice: fc.nat() }),
  ),
  { minLength: 1, maxLength: 8 },
);

/** The frames after the damage. A doubled or damaged frame is not required to be read; its neighbours are. */
function damaged(frames: readonly Sent[], all: readonly Damage[]): readonly Sent[] {
  return all.reduce<readonly Sent[]>((sent, damage) => {
    // The end of an answer is no damage: what follows it may be cut off.
    const at = damage.at % Math.max(1, sent.length - 3);
    const frame = sent[at];
    if (damage.kind === 'insert') return sent.toSpliced(at, 0, { text: damage.frame, isOwn: false });
    if (frame === undefined || !frame.isOwn) return sent;
    if (damage.kind === 'drop') return sent.toSpliced(at, 1);
    if (damage.kind === 'double') return sent.toSpliced(at, 0, { ...frame, isOwn: false });
    const [head = '', data = ''] = frame.text.split(/(?<=data: )/);
    const text = `${head}${JSON.stringify(retyped(JSON.parse(data), damage.choice))}\n\n`;
    return sent.with(at, { text, isOwn: false });
  }, frames);
}

/** The events of an answer whose bytes are these, through the package of its provider. */
async function read(wire: string, body: string, size: number): Promise<{ text: string; last: string }> {
  const provider = providers.find(({ id }) => id === wire);
  if (provider === undefined) throw new Error(`There is no provider ${wire}.`);
  const settings = { apiKey: 'k', baseURL: 'http://localhost', name: 'p' };
  const bytes = new TextEncoder().encode(body);
  const sent = async (): Promise<Response> =>
    new Response(
      new ReadableStream({
        start(out) {
          for (let at = 0; at < bytes.length; at += size) out.enqueue(bytes.subarray(at, at + size));
          out.close();
        },
      }),
    );
  const fetch = readableAnswers(sent, provider.frames(settings));
  const client = fromLanguageModel(provider.connect({ ...settings, fetch })('m'));
  let text = '';
  let last = '';
  for await (const event of client.stream(request, { signal: new AbortController().signal })) {
    if (event.type === 'text-delta') text += event.delta;
    last = event.type === 'error' ? `error ${event.code}: ${event.message}` : event.type;
  }
  return { text, last };
}

it(
  'an answer keeps every text that its undamaged frames say, and ends as finished, whatever stands between them',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...streams),
        damages,
        fc.integer({ min: 1, max: 4000 }),
        async (stream, all, size) => {
          const sent = damaged(framesOf(stream), all);
          const wanted = sent.flatMap(({ text, isOwn }) => (isOwn ? saidIn(text) : []));
          const done = stream.wire === 'openai-compatible' ? 'data: [DONE]\n\n' : '';
          const { text, last } = await read(stream.wire, sent.map((one) => one.text).join('') + done, size);
          let from = 0;
          for (const piece of wanted) {
            const at = text.indexOf(piece, from);
            if (at < 0)
              throw new Error(`${stream.name}: ${JSON.stringify(piece)} is lost; it ended with ${last}.`);
            from = at + piece.length;
          }
          if (wanted.length > 0) expect(last, stream.name).toBe('finish');
        },
      ),
      { numRuns: proveRuns(150, 'PROVE_STREAMS') },
    );
  },
);
