import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A model provider in its own process: `node paced-upstream.ts <chunks> <everyMs>` prints its address. Every chunk
// contains its time of sending.

const [chunks = 0, everyMs = 0] = process.argv.slice(2).map(Number);
const now = (): number => performance.timeOrigin + performance.now();

function chunk(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const timer = setInterval(() => {
      if (sent++ < chunks) return void response.write(chunk({ content: `some words @${now()}@ ` }, null));
      clearInterval(timer);
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    }, everyMs);
    response.on('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
