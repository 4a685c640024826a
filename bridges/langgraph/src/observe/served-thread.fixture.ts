import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An event of a thread without its id and its number. */
export type Told = {
  readonly method: string;
  readonly params: { readonly namespace: readonly string[]; readonly node?: string; readonly data: object };
};

const told = (method: string, namespace: readonly string[], data: object, node?: string): Told => ({
  method,
  params: { namespace, ...(node === undefined ? {} : { node }), data },
});

export const lifecycle = (event: string, namespace: readonly string[] = [], more: object = {}): Told =>
  told('lifecycle', namespace, { event, ...more });

type Block = { readonly start: object; readonly deltas: readonly object[]; readonly finish: object };

const message = (id: string, blocks: readonly Block[], namespace: readonly string[]): readonly Told[] => {
  const part = (event: string, more: object): Told =>
    told('messages', namespace, { event, ...more }, 'model');
  return [
    part('message-start', { role: 'ai', id }),
    ...blocks.flatMap(({ start, deltas, finish }, index) => [
      part('content-block-start', { index, content: start }),
      ...deltas.map((delta) => part('content-block-delta', { index, delta })),
      part('content-block-finish', { index, content: finish }),
    ]),
    part('message-finish', { usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } }),
  ];
};

export const text = (id: string, words: string, namespace: readonly string[] = []): readonly Told[] => {
  const deltas = words.split(' ').map((word) => ({ type: 'text-delta', text: `${word} ` }));
  return message(
    id,
    [{ start: { type: 'text', text: '' }, deltas, finish: { type: 'text', text: words } }],
    namespace,
  );
};

/** An answer that its provider cut at the length limit, as a chat model of OpenAI tells it in LangGraph.js. */
export const cut = (id: string, words: string): readonly Told[] =>
  text(id, words).flatMap((event) => {
    const { data } = event.params;
    const kind = (data as { readonly event: string }).event;
    if (kind === 'message-finish') return [told('messages', [], { ...data, reason: 'length' }, 'model')];
    const payload = { model: 'llama3.2' };
    const provider = { event: 'provider', provider: 'openai', name: 'stream_metadata', payload };
    return kind === 'message-start' ? [event, told('messages', [], provider, 'model')] : [event];
  });

export const asked = (
  ids: readonly string[],
  name: string,
  namespace: readonly string[] = [],
): readonly Told[] => {
  const blocks = ids.map((id) => ({
    start: { type: 'tool_call_chunk', id, name, args: '' },
    deltas: [
      { type: 'tool-call-delta', args: '{"q":' },
      { type: 'tool-call-delta', args: '"tea"}' },
    ],
    finish: { type: 'tool_call', id, name, args: { q: 'tea' } },
  }));
  return message(`asks ${ids.join()}`, blocks, namespace);
};

export const started = (tool_call_id: string, tool_name: string, namespace: readonly string[] = []): Told =>
  told('tools', namespace, { event: 'tool-started', tool_call_id, tool_name, input: { q: 'tea' } }, 'tools');

export const result = (tool_call_id: string, namespace: readonly string[] = []): Told =>
  told('tools', namespace, { event: 'tool-finished', tool_call_id, output: ['green'] }, 'tools');

export const toolEvent = (data: object): Told => told('tools', [], data, 'tools');

export const interrupt = (interrupt_id: string, payload: unknown): Told =>
  told('input.requested', [], { interrupt_id, payload });

export const values = (data: object): Told => told('values', [], data);

/** The root's events around those of a run. */
export const whole = (...events: readonly (readonly Told[])[]): readonly Told[] => [
  lifecycle('running'),
  ...events.flat(),
  lifecycle('completed'),
];

function isOfRoot({ method, params: { namespace } }: Told): boolean {
  return method === 'lifecycle' && namespace.length === 0;
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly [field: string]: unknown }> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body) as { readonly [field: string]: unknown };
}

/** The address of a server of the Agent Streaming Protocol whose runs tell the given events, in order. */
export async function servedThread(runs: readonly (readonly Told[])[]): Promise<string> {
  const log: (Told & { readonly seq: number })[] = [];
  const streams = new Map<ServerResponse, readonly unknown[]>();
  let next = 0;

  function write(response: ServerResponse, event: Told & { readonly seq: number }): void {
    const channel = event.method === 'input.requested' ? 'input' : event.method;
    if (streams.get(response)?.includes(channel) !== true) return;
    const sent = { type: 'event', event_id: `event ${event.seq}`, ...event };
    response.write(`id: ${event.seq}\nevent: message\ndata: ${JSON.stringify(sent)}\n\n`);
  }

  async function tell(events: readonly Told[]): Promise<void> {
    for (const event of events) {
      const numbered = { ...event, seq: log.length };
      log.push(numbered);
      for (const response of streams.keys()) write(response, numbered);
      // Each event comes in a packet of its own.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, channels } = await bodyOf(request);
    if (request.url?.endsWith('/commands') === true) {
      const isRun = method === 'run.start' || method === 'input.respond';
      const run_id = `run ${next}`;
      const events = isRun ? (runs[next++] ?? []) : [];
      // As servers of LangGraph.js do: the end of the run before and the beginning come before the answer.
      const first = events.findIndex((event) => !isOfRoot(event));
      await tell(events.slice(0, first));
      response.writeHead(200, { 'content-type': 'application/json' });
      const meta = { applied_through_seq: log.length - 1 };
      response.end(JSON.stringify({ type: 'success', id, result: { run_id }, meta }));
      return tell(events.slice(first));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    streams.set(response, channels as readonly unknown[]);
    response.on('close', () => streams.delete(response));
    for (const event of log) write(response, event);
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
