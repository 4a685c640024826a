import { deltaText, type StreamScript } from './stream-script.ts';

/** The wire formats of the benches' upstream. */
export type Wire = 'v' | 'ai-sdk';

const usage = {
  inputTokens: 10,
  outputTokens: 10,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 20,
  cost: null,
};

/** The end of an answer in the wire format of the inference proxy. */
export function finish(finishReason: 'stop' | 'tool-calls') {
  return { type: 'finish', finishReason, usage } as const;
}

type Format = {
  readonly head: readonly object[];
  readonly delta: (text: string) => object;
  readonly tail: readonly object[];
};

let answers = 0;

const formats: Readonly<Record<Wire, () => Format>> = {
  v: () => ({
    head: [{ type: 'start', id: 'response', model: 'bench:model' }],
    delta: (delta) => ({ type: 'text-delta', delta }),
    tail: [finish('stop')],
  }),
  'ai-sdk': () => ({
    head: [
      { type: 'start', messageId: `answer-${answers++}` },
      { type: 'text-start', id: 't' },
    ],
    delta: (delta) => ({ type: 'text-delta', id: 't', delta }),
    tail: [{ type: 'text-end', id: 't' }, { type: 'finish' }],
  }),
};

/** Events as a server writes them. */
export function sseText(events: readonly object[], first: number): string {
  return events.map((event, index) => `id: ${first + index}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** An answer as server-sent events, split into writes. */
export function sseWrites(script: StreamScript, wire: Wire): string[] {
  const { head, delta, tail } = formats[wire]();
  const written = [sseText(head, 0)];
  for (let at = 0; at < script.deltas; at += script.perWrite) {
    const count = Math.min(script.perWrite, script.deltas - at);
    const events = Array.from({ length: count }, (_, index) => delta(deltaText(script, at + index)));
    written.push(sseText(events, head.length + at));
  }
  written.push(sseText(tail, head.length + script.deltas));
  return written;
}
