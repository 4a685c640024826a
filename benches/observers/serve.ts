import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deltas, words } from './script.ts';

// node serve.ts prints the address of a server that streams an answer: /ui for the AI SDK, any other path for AG-UI

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

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const { threadId, runId } = JSON.parse(body) as { readonly threadId?: string; readonly runId?: string };
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
    });
    for (const event of answerFor(request.url ?? '', { threadId, runId }))
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
