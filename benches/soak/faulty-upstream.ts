import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A model provider with every kind of fault, in its own process. It prints its address, and reports its open answers
// when it receives a message.

const chunk = (content: string, finish: string | null = null): string => {
  const choices = [{ index: 0, delta: { content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
};
const words = chunk('some words of an answer ').repeat(20);

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(words);
}

function repeat(response: ServerResponse, everyMs: number): void {
  const timer = setInterval(() => response.write(words), everyMs);
  response.on('close', () => clearInterval(timer));
}

const behaviours: readonly ((response: ServerResponse) => void)[] = [
  (response) => {
    begin(response);
    response.end(`${chunk('', 'stop')}data: [DONE]\n\n`);
  },
  (response) => {
    begin(response);
    setTimeout(() => response.destroy(), 50);
  },
  begin,
  () => undefined,
  (response) => {
    begin(response);
    repeat(response, 20);
  },
  (response) =>
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}'),
  (response) => response.writeHead(429, { 'retry-after': '1' }).end('slow down'),
  (response) => {
    begin(response);
    response.end('data: {"choices": [nothing\n\n');
  },
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(words.slice(0, 333));
  },
];

const open = new Set<ServerResponse>();
let requests = 0;
const server = createServer((request, response) => {
  open.add(response);
  response.on('close', () => open.delete(response));
  request.resume().on('end', () => behaviours[requests++ % behaviours.length]?.(response));
});
process.on('message', () => process.send?.(open.size));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
