import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deltas, words } from './script.ts';

// node serve.ts prints the address of a server that streams an answer: /ui for the AI SDK, /threads for LangGraph, any
// other path for AG-UI

function answerFor(path: string, ids: object): readonly object[] {
  if (path === '/ui')
    return [
      { type: 'start' },
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      ...Array.from({ length: deltas }, () => ({ type: 'text-delta', id: 't', delta: words })),
      { type: 'text-end', id: 't' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'stop' },
    ];
  return [
    { type: 'RUN_STARTED', ...ids },
    { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    ...Array.from({ length: deltas }, () => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: words })),
    { type: 'TEXT_MESSAGE_END', messageId: 'm' },
    { type: 'RUN_FINISHED', ...ids },
  ];
}

type ThreadEvent = { readonly method: string; readonly params: object };

function threadEvents(): readonly ThreadEvent[] {
  const event = (method: string, data: object): ThreadEvent => ({
    method,
    params: { namespace: [], node: 'model', data },
  });
  const delta = { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: words } };
  return [
    event('lifecycle', { event: 'running' }),
    event('messages', { event: 'message-start', role: 'ai', id: 'm' }),
    event('messages', { event: 'content-block-start', index: 0, content: { type: 'text', text: '' } }),
    ...Array.from({ length: deltas }, () => event('messages', delta)),
    event('messages', {
      event: 'content-block-finish',
      index: 0,
      content: { type: 'text', text: words.repeat(deltas) },
    }),
    event('messages', { event: 'message-finish' }),
    event('lifecycle', { event: 'completed' }),
  ];
}

/** The events of a thread, and its open streams with the channels that each asked for. */
type Thread = { told: readonly ThreadEvent[]; readonly streams: Map<ServerResponse, readonly string[]> };
const threads = new Map<string, Thread>();

function tell(events: readonly ThreadEvent[], stream: ServerResponse, channels: readonly string[]): void {
  for (const [seq, event] of events.entries())
    if (channels.includes(event.method))
      stream.write(`data: ${JSON.stringify({ type: 'event', event_id: `e${seq}`, seq, ...event })}\n\n`);
}

/** Answers as a server of the Agent Streaming Protocol: a command starts a run, which all streams of the thread tell. */
function answerThread(path: string, asked: Asked, response: ServerResponse): void {
  const address = path.split('/', 3).join('/');
  const thread: Thread = threads.get(address) ?? { told: [], streams: new Map() };
  threads.set(address, thread);
  if (path.endsWith('/commands')) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'success', id: asked.id, result: { run_id: 'run' } }));
    thread.told = threadEvents();
    for (const [stream, channels] of thread.streams) tell(thread.told, stream, channels);
    return;
  }
  const { channels = [] } = asked;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  response.on('close', () => thread.streams.delete(response));
  thread.streams.set(response, channels);
  tell(thread.told, response, channels);
}

type Asked = {
  readonly threadId?: string;
  readonly runId?: string;
  readonly id?: number;
  readonly channels?: readonly string[];
};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const path = request.url ?? '';
    const asked = JSON.parse(body) as Asked;
    if (path.includes('/threads/')) return answerThread(path, asked, response);
    const { threadId, runId } = asked;
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
    });
    for (const event of answerFor(path, { threadId, runId }))
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
