import type { ServerResponse } from 'node:http';
import { deltaText, type StreamScript } from '../stream-script.ts';

/** An answer as the bytes of server-sent events, cut into what is written at once. */
export type Writes = readonly Buffer[];

const usage = {
  inputTokens: 10,
  outputTokens: 10,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 20,
  cost: null,
};

/** The answer in the wire format of the inference proxy. */
export function vitrineWrites(script: StreamScript): Writes {
  return writes(script, {
    head: [{ type: 'start', id: 'response', model: 'bench:model' }],
    delta: (delta) => ({ type: 'text-delta', delta }),
    tail: [{ type: 'finish', finishReason: 'stop', usage }],
  });
}

let answers = 0;

/** The same answer in the wire format of the AI SDK's chat. */
export function aiSdkWrites(script: StreamScript): Writes {
  return writes(script, {
    head: [
      { type: 'start', messageId: `answer-${answers++}` },
      { type: 'text-start', id: 't' },
    ],
    delta: (delta) => ({ type: 'text-delta', id: 't', delta }),
    tail: [{ type: 'text-end', id: 't' }, { type: 'finish' }],
  });
}

type Wire = {
  readonly head: readonly object[];
  readonly delta: (text: string) => object;
  readonly tail: readonly object[];
};

function writes(script: StreamScript, wire: Wire): Buffer[] {
  let number = 0;
  const line = (event: object): string => `id: ${number++}\ndata: ${JSON.stringify(event)}\n\n`;
  const buffers = [Buffer.from(wire.head.map(line).join(''))];
  for (let at = 0; at < script.deltas; at += script.perWrite) {
    const count = Math.min(script.perWrite, script.deltas - at);
    const lines = Array.from({ length: count }, (_, index) =>
      line(wire.delta(deltaText(script, at + index))),
    );
    buffers.push(Buffer.from(lines.join('')));
  }
  buffers.push(Buffer.from(wire.tail.map(line).join('')));
  return buffers;
}

/** Writes one after the other, each in a task of its own, and not faster than the other side reads. */
export async function send(response: ServerResponse, all: Writes, delayMs: number): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
  });
  for (const bytes of all) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await new Promise<void>((resolve) => onceFree(response, resolve));
    else await wait(delayMs);
  }
  response.end();
}

/** Timers are too coarse below a few milliseconds. */
async function wait(ms: number): Promise<void> {
  if (ms > 5) return new Promise((resolve) => setTimeout(resolve, ms));
  const until = performance.now() + ms;
  do await new Promise((resolve) => setImmediate(resolve));
  while (performance.now() < until);
}

function onceFree(response: ServerResponse, run: () => void): void {
  const once = (): void => {
    response.off('drain', once);
    response.off('close', once);
    run();
  };
  response.on('drain', once);
  response.on('close', once);
}
