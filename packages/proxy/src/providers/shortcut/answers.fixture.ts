import fc from 'fast-check';
import { bodyOf } from '../../kit/direct-body.ts';

/** A wire format whose events are written here. */
export type Wire = 'openai-compatible' | 'anthropic';

/** A piece of a provider's answer, sent in its own turn of the event loop or together with the last one. */
export type Piece = { readonly bytes: Uint8Array; readonly isLater: boolean };

export const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** @param isDirect The answer can be read without a web stream, and says at once what stands ready. */
export function answering(pieces: readonly Piece[], fails: boolean, isDirect = false): typeof fetch {
  return async () => {
    let at = 0;
    async function next(isLater: boolean): Promise<Uint8Array | null> {
      if (isLater) await later();
      const piece = pieces[at++];
      if (piece === undefined && fails) throw new TypeError('terminated');
      return piece?.bytes ?? null;
    }
    const isLater = (): boolean => pieces[at]?.isLater !== false;
    const web = new ReadableStream<Uint8Array>(
      {
        async pull(out) {
          const bytes = await next(isLater());
          if (bytes === null) out.close();
          else out.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
    const direct = bodyOf<Uint8Array>({
      read(onPiece, onError) {
        if (isLater()) void next(true).then(onPiece, onError);
        else onPiece(pieces[at++]?.bytes ?? null);
      },
      cancel: () => undefined,
    });
    return new Response(isDirect ? direct : web, { headers: { 'content-type': 'text/event-stream' } });
  };
}

/** Cuts a text into pieces at any byte, also within a character. */
export function cut(text: string, sizes: readonly number[]): Piece[] {
  const bytes = new TextEncoder().encode(text);
  const pieces: Piece[] = [];
  for (let at = 0, next = 0; at < bytes.length; next++) {
    const size = sizes[next % sizes.length] ?? 1;
    pieces.push({ bytes: bytes.slice(at, at + size), isLater: size % 2 === 0 });
    at += size;
  }
  return pieces;
}

const text = fc.oneof(
  fc.constantFrom(
    'a',
    'content',
    ' ',
    '"',
    '\\',
    '","finish_reason":"stop',
    'é',
    '😀',
    '\n\n',
    'data: ',
    'text',
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
);
const kind = fc.constantFrom(
  'text',
  'text',
  'text',
  'text',
  'thought',
  'call',
  'padded',
  'empty',
  'comment',
  'odd',
);
export const say = fc.record({
  kind,
  text,
  escaped: fc.boolean(),
  spaced: fc.boolean(),
  times: fc.nat({ max: 9 }),
});
export type Said = { kind: string; text: string; escaped: boolean; spaced: boolean; times: number };

const escape = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

function jsonOf(value: unknown, { escaped, spaced }: Said): string {
  const json = spaced ? JSON.stringify(value, null, 1).replaceAll('\n', '') : JSON.stringify(value);
  return escaped ? escape(json) : json;
}

export const events: Record<Wire, (says: readonly Said[]) => string[]> = {
  'openai-compatible': (says) => {
    const chunk = (delta: object, rest: object = {}): object => ({
      id: 'x',
      created: 1,
      model: 'content',
      choices: [{ index: 0, delta, finish_reason: null }],
      ...rest,
    });
    const body = says.flatMap((one, index) =>
      Array.from({ length: one.times + 1 }, (_, time) => {
        const data = (value: object): string => `data: ${jsonOf(value, one)}\n\n`;
        const own = `${one.text}${time === 0 ? '' : time}`;
        if (one.kind === 'comment') return `: ${index}\n\n`;
        if (one.kind === 'thought') return data(chunk({ content: null, reasoning_content: own }));
        if (one.kind === 'empty') return data(chunk({ content: '' }));
        if (one.kind === 'odd') return data(chunk({ content: own, refusal: own }));
        if (one.kind === 'padded') return data(chunk({ content: own }, { obfuscation: 'x'.repeat(time) }));
        if (one.kind !== 'call') return data(chunk({ content: own }));
        const call = {
          index,
          id: `c${index}`,
          function: { name: 'f', arguments: time === 0 ? '{"a":"' : 'b' },
        };
        return data(chunk({ tool_calls: [call] }));
      }),
    );
    const end = { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    const usage = {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    };
    return [
      ...body,
      ...[end, usage].map((value) => `data: ${JSON.stringify(value)}\n\n`),
      'data: [DONE]\n\n',
    ];
  },
  anthropic: (says) => {
    const event = (value: { type: string }, one?: Said): string =>
      `event: ${value.type}\ndata: ${one ? jsonOf(value, one) : JSON.stringify(value)}\n\n`;
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'text', content: [], usage };
    const body = says.flatMap((one, index) => {
      const isThought = one.kind === 'thought';
      const begin = isThought
        ? { type: 'thinking', thinking: '', signature: '' }
        : { type: 'text', text: '' };
      const delta = (own: string): object =>
        isThought ? { type: 'thinking_delta', thinking: own } : { type: 'text_delta', text: own };
      const deltas = Array.from({ length: one.times + 1 }, (_, time) =>
        event({ type: 'content_block_delta', index, delta: delta(`${one.text}${time}`) } as never, one),
      );
      return [
        event({ type: 'content_block_start', index, content_block: begin } as never),
        ...(one.kind === 'comment' ? [event({ type: 'ping' })] : []),
        ...deltas,
        event({ type: 'content_block_stop', index } as never),
      ];
    });
    return [
      event({ type: 'message_start', message } as never),
      ...body,
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage } as never),
      event({ type: 'message_stop' }),
    ];
  },
};
