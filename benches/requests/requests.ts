import { Message } from '@vitrine/core';
import { scriptedInference } from '@vitrine/testing';
import { createInferenceProxy } from '@vitrine/proxy';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';

const mebibyte = 1024 * 1024;

/** Measures requests of 1 MB to the proxy, the worst of each kind, from the body to the call of a model. */
export async function requests(rounds: number): Promise<Measured> {
  const proxy = createInferenceProxy({
    models: [{ id: 'p:m', name: 'm', provider: 'p', client: scriptedInference([{ text: 'x' }]) }],
    limits: { bodyBytes: 2 * mebibyte },
    log: () => undefined,
  });
  const measured: { readonly name: string; readonly proxyMs: number; readonly parseMs: number }[] = [];
  for (const [name, body] of Object.entries(bodies)) {
    const post = (): Promise<Response> =>
      proxy.fetch(
        new Request('http://localhost/v1/inference', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        }),
      );
    const proxyMs = await time(rounds, async () => {
      const response = await post();
      if (response.status !== 200) throw new Error(`${name}: ${await response.text()}`);
      await response.body?.cancel();
    });
    const parseMs = await time(rounds, async () => void JSON.parse(body));
    measured.push({ name, proxyMs, parseMs });
  }
  return {
    tables: [
      {
        title: 'requests of 1 MB',
        head: ['a conversation of', 'ms of CPU', 'of it JSON.parse'],
        rows: measured.map(({ name, proxyMs, parseMs }) => [name, proxyMs.toFixed(2), parseMs.toFixed(2)]),
      },
    ],
    figures: measured.map(({ name, proxyMs, parseMs }) => ({
      goal: 'request',
      of: name,
      value: proxyMs - parseMs,
    })),
  };
}

const filled = <Item>(make: (at: number) => Item): Item[] => {
  const list: Item[] = [];
  for (let length = 0; length < mebibyte;) {
    const item = make(list.length);
    list.push(item);
    length += JSON.stringify(item).length + 1;
  }
  return list;
};

const asking = (input: unknown): string =>
  JSON.stringify({
    messages: [{ role: 'assistant', parts: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input }] }],
  });

const bodies: Readonly<Record<string, string>> = {
  messages: JSON.stringify({
    messages: filled((at) => Message.user(`Message ${at}: ${'some words '.repeat(20)}`)),
  }),
  'empty texts': JSON.stringify({
    messages: [
      Message.of(
        'user',
        filled(() => ({ type: 'text', text: '' }) as const),
      ),
    ],
  }),
  'one text': JSON.stringify({ messages: [Message.user('x'.repeat(mebibyte))] }),
  'text that is all quotes': JSON.stringify({ messages: [Message.user('"'.repeat(mebibyte / 2))] }),
  'numbers, as arguments': asking(filled((at) => at % 10)),
  'objects, as arguments': asking(filled((at) => ({ id: at, name: 'a', tags: ['b', {}] }))),
};

/** The CPU time of a request, during which others wait. */
async function time(rounds: number, act: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds * 4; round++) {
    const before = process.cpuUsage();
    await act();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return median(times);
}
